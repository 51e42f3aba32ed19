package abi

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func slotArg(i int) Arg           { return Arg{Op: ArgSlot, Index: i} }
func slotExpr(i int) Expr         { return Expr{Op: ExprSlot, Index: i} }
func constExpr(i int) Expr        { return Expr{Op: ExprConst, Index: i} }
func scan(rel int, a ...Arg) Atom { return Atom{Op: AtomScan, Rel: rel, Args: a} }

// harbour is a valid program with something of everything. Relations: 0 leg
// (base), 1 reach (recursive), 2 far (negation of reach), 3 C+ (base), 4 C
// (derived from C+), 5 C.f (base), 6 the check's.
func harbour() *Program {
	integer, text := Type{Op: TypeInt}, Type{Op: TypeString}
	concept := Type{Op: TypeConcept, Name: "m::C"}
	pair := []Column{{Name: "a", Type: concept}, {Name: "b", Type: concept}}
	one := []Column{{Name: "x", Type: concept}}
	slots := func(n int) (out []Slot) {
		for range n {
			out = append(out, Slot{Name: "s", Type: integer})
		}
		return out
	}
	relation := func(name string, role Role, columns []Column) Relation {
		return Relation{Name: name, Role: role, Columns: columns, Asserted: -1, Refuted: -1}
	}
	p := &Program{
		ABI: Version, Module: "m", Files: []string{"m.ar"},
		Types: []TypeDef{
			{Name: "m::C", Op: TypeConcept, Extent: 4, Fields: []FieldDef{{Name: "f", Type: integer, Relation: 5, Default: &Expr{Op: ExprConst}}}},
			{Name: "m::D", Op: TypeConcept, Extent: -1, Supers: []int{0}},
			{Name: "m::E", Op: TypeEnum, Extent: -1, Variants: []VariantDef{{Name: "m::E::A", Fields: []FieldDef{{Name: "x", Type: text, Relation: -1}}}}},
		},
		Relations: []Relation{
			relation("m::leg", Base, pair), relation("m::reach", Derived, pair), relation("m::far", Derived, pair),
			relation("m::C+", Base, one), relation("m::C", Derived, one),
			relation("m::C.f", Base, []Column{{Name: "self", Type: concept}, {Name: "value", Type: integer}}),
			relation("m::bad", Derived, one),
		},
		Constants: []Value{IntValue(1), StringValue("text")},
		Rules: []Rule{
			{Name: "m::reach", Head: 1, Args: []Arg{slotArg(0), slotArg(1)}, Slots: slots(2), Body: []Atom{scan(0, slotArg(0), slotArg(1))}},
			{Name: "m::reach", Head: 1, Args: []Arg{slotArg(0), slotArg(2)}, Slots: slots(3), Body: []Atom{scan(1, slotArg(0), slotArg(1)), scan(0, slotArg(1), slotArg(2))}},
			{Name: "m::far", Head: 2, Args: []Arg{slotArg(0), slotArg(1)}, Slots: slots(4), Body: []Atom{
				scan(4, slotArg(0)), scan(4, slotArg(1)),
				{Op: AtomScan, Rel: 1, Args: []Arg{slotArg(0), slotArg(1)}, Neg: true},
				{Op: AtomCmp, Cmp: CmpNe, Args: []Arg{slotArg(0), slotArg(1)}},
				{Op: AtomFold, Slot: 2, Fold: FoldCount, Over: []int{3}, Body: []Atom{scan(1, slotArg(0), slotArg(3))}},
				{Op: AtomFilter, Expr: &Expr{Op: ExprLt, Args: []Expr{slotExpr(2), {Op: ExprCall, Index: 0, Args: []Expr{constExpr(0)}}}}},
				{Op: AtomMatch, Slot: 2, Pattern: &Pattern{Op: PatOr, Items: []Pattern{{Op: PatConst}, {Op: PatSome, Items: []Pattern{{Op: PatWild}}}}}},
				{Op: AtomIs, Slot: 2, Type: &integer},
				{Op: AtomExists, Neg: true, Body: []Atom{scan(0, slotArg(0), Arg{})}},
			}},
			{Name: "m::C", Head: 4, Args: []Arg{slotArg(0)}, Slots: slots(1), Body: []Atom{scan(3, slotArg(0))}},
			{Name: "m::bad", Head: 6, Args: []Arg{slotArg(0)}, Slots: slots(2), Body: []Atom{scan(5, slotArg(0), slotArg(1))}},
		},
		Components: []Component{
			{Relations: []int{1}, Rules: []int{0, 1}, Recursive: true}, {Relations: []int{4}, Rules: []int{3}},
			{Relations: []int{2}, Rules: []int{2}}, {Relations: []int{6}, Rules: []int{4}},
		},
		Functions: []Function{
			{Name: "m::next", Params: []Param{{Name: "n", Type: integer}}, Slots: slots(2), Result: integer, Body: Expr{Op: ExprLet, Index: 1, Args: []Expr{slotExpr(0), {Op: ExprBuiltin, Name: BuiltinRound, Args: []Expr{slotExpr(1)}}}}},
			{Name: "m::read", Params: []Param{{Name: "c", Type: concept}}, Slots: slots(1), Result: integer, Body: Expr{Op: ExprRead, Index: 5, Args: []Expr{slotExpr(0)}}},
			{Name: "m::indirect", Params: []Param{{Name: "c", Type: concept}}, Slots: slots(1), Result: integer, Body: Expr{Op: ExprCall, Index: 1, Args: []Expr{slotExpr(0)}}},
		},
		Mutations: []Mutation{{
			Name: "m::make", Params: []Param{{Name: "n", Type: integer}}, Slots: slots(3),
			Body: []Stmt{
				{Op: StmtRequire, Exprs: []Expr{{Op: ExprSub_, Sub: &Sub{Op: SubExists, Body: []Atom{scan(1, slotArg(1), Arg{})}, Over: []int{1}}}}},
				{Op: StmtNew, Slot: 1, Type: "m::C", Rels: []int{3}, Fields: []FieldInit{{Relation: 5, Value: slotExpr(0)}}},
				{Op: StmtAssert, Rel: 0, Exprs: []Expr{slotExpr(1), slotExpr(1)}},
				{Op: StmtRetract, Rel: 0, Exprs: []Expr{slotExpr(1), {Index: 99}}, Wild: []bool{false, true}},
				{Op: StmtIf, Exprs: []Expr{{Op: ExprHolds, Index: 4, Args: []Expr{slotExpr(1)}}}, Body: []Stmt{{Op: StmtReturn}}, Else: []Stmt{{Op: StmtSet, Rel: 5, Exprs: []Expr{slotExpr(1), slotExpr(0)}}}},
				{Op: StmtFor, Slot: 2, Exprs: []Expr{{Op: ExprList}}, Body: []Stmt{{Op: StmtCall, Slot: -1, Exprs: []Expr{slotExpr(2)}}}},
			},
		}},
		Queries: []Query{{Name: "m::q", Params: []Param{{Name: "a", Type: concept}}, Slots: slots(2), Body: []Atom{scan(1, slotArg(0), slotArg(1))}, Out: []Arg{slotArg(1)}, Columns: one, Truth: -1}},
		Checks: []Check{{Name: "m::bad", Relation: 6, Rule: 4, Payload: Payload{
			Severity: Expr{Op: ExprVariant, Name: "std::core::Severity::Error"}, Code: constExpr(1),
			Message: Expr{Op: ExprText, Args: []Expr{slotExpr(0), {Op: ExprFor, Index: 1, Args: []Expr{{Op: ExprList}, slotExpr(1)}}}},
		}}},
		Tests: []Test{{Name: "m::t", Slots: slots(1), Steps: []TestStep{{Op: TestRun}, {Op: TestDerivable, Rel: 4, Exprs: []Expr{slotExpr(0)}}, {Op: TestAssert, Expr: &Expr{Op: ExprSlot}}}}},
	}
	p.Relations[4].Asserted = 3
	p.Relations[5].Key = []int{0}
	return p
}

func TestValidateTakesAWholeProgram(t *testing.T) {
	p := harbour()
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	var again Program
	if err := again.DecodeCBOR(p.AppendCBOR(nil)); err != nil {
		t.Fatal(err)
	}
	if err := again.Validate(); err != nil {
		t.Fatal(err)
	}
}

func TestValidateRefuses(t *testing.T) {
	far := func(p *Program) *Rule { return &p.Rules[2] }
	body := func(p *Program) []Stmt { return p.Mutations[0].Body }
	for _, c := range []struct {
		name string
		want string
		harm func(*Program)
	}{
		{"another version", "version", func(p *Program) { p.ABI = "9.9.9" }},
		{"supertype out of range", "supertype 7", func(p *Program) { p.Types[1].Supers = []int{7} }},
		{"supertype that is an enum", "supertype 2", func(p *Program) { p.Types[1].Supers = []int{2} }},
		{"circle of supertypes", "below itself", func(p *Program) { p.Types[0].Supers = []int{1} }},
		{"extent of another arity", "1 operands for m::leg", func(p *Program) { p.Types[0].Extent = 0 }},
		{"field's relation out of range", "relation -2", func(p *Program) { p.Types[0].Fields[0].Relation = -2 }},
		{"default with a bad constant", "constant 5", func(p *Program) { p.Types[0].Fields[0].Default.Index = 5 }},
		{"type without its argument", "type 16", func(p *Program) { p.Relations[0].Columns[0].Type = Type{Op: TypeList} }},
		{"key out of range", "key column 2", func(p *Program) { p.Relations[5].Key = []int{2} }},
		{"key column twice", "twice", func(p *Program) { p.Relations[5].Key = []int{0, 0} }},
		{"twin that is derived", "write to m::bad", func(p *Program) { p.Relations[4].Asserted = 6 }},
		{"head out of range", "relation 70 of 7", func(p *Program) { p.Rules[0].Head = 70 }},
		{"head that is base", "is not derived", func(p *Program) { p.Rules[0].Head = 0 }},
		{"head of another arity", "1 operands for m::reach", func(p *Program) { p.Rules[0].Args = p.Rules[0].Args[:1] }},
		{"wild head", "wild", func(p *Program) { p.Rules[0].Args[0] = Arg{} }},
		{"slot out of range", "slot 2 of 2", func(p *Program) { p.Rules[0].Body[0].Args[0].Index = 2 }},
		{"negative slot", "slot -1", func(p *Program) { p.Rules[0].Body[0].Args[0].Index = -1 }},
		{"constant out of range", "constant 2 of 2", func(p *Program) { p.Rules[0].Body[0].Args[0] = Arg{Op: ArgConst, Index: 2} }},
		{"scan of another arity", "columns", func(p *Program) { p.Rules[0].Body[0].Args = nil }},
		{"unknown atom", "unknown atom", func(p *Program) { far(p).Body[0].Op = 99 }},
		{"unknown argument", "unknown argument", func(p *Program) { far(p).Body[0].Args[0].Op = 9 }},
		{"comparison of one", "comparison of 1", func(p *Program) { far(p).Body[3].Args = far(p).Body[3].Args[:1] }},
		{"unknown comparison", "unknown comparison", func(p *Program) { far(p).Body[3].Cmp = 77 }},
		{"negated comparison", "negated", func(p *Program) { far(p).Body[3].Neg = true }},
		{"fold over a bad slot", "slot 44", func(p *Program) { far(p).Body[4].Over = []int{44} }},
		{"sum of nothing", "no expression", func(p *Program) { far(p).Body[4].Fold = FoldSum }},
		{"filter without expression", "no expression", func(p *Program) { far(p).Body[5].Expr = nil }},
		{"operator with one operand", "of 1 operands", func(p *Program) { x := far(p).Body[5].Expr; x.Args = x.Args[:1] }},
		{"unknown operator", "unknown operator", func(p *Program) { far(p).Body[5].Expr.Op = 200 }},
		{"call of another arity", "1 parameters", func(p *Program) { far(p).Body[5].Expr.Args[1].Args = nil }},
		{"call out of range", "function 3 of 3", func(p *Program) { far(p).Body[5].Expr.Args[1].Index = 3 }},
		{"rule that reads by a call", "reads relations", func(p *Program) { far(p).Body[5].Expr.Args[1].Index = 2 }},
		{"rule that reads in an expression", "reads relations", func(p *Program) {
			far(p).Body[5].Expr.Args[1] = Expr{Op: ExprHolds, Index: 4, Args: []Expr{slotExpr(0)}}
		}},
		{"match without pattern", "no pattern", func(p *Program) { far(p).Body[6].Pattern = nil }},
		{"alternative that binds", "alternative", func(p *Program) { far(p).Body[6].Pattern.Items[0] = Pattern{Op: PatBind} }},
		{"pattern of a bad constant", "constant 8", func(p *Program) { far(p).Body[6].Pattern.Items[0].Const = 8 }},
		{"pattern without its item", "pattern 7", func(p *Program) { far(p).Body[6].Pattern.Items[1].Items = nil }},
		{"test without type", "no type", func(p *Program) { far(p).Body[7].Type = nil }},
		{"scan with a body", "has a body", func(p *Program) { p.Rules[0].Body[0].Body = []Atom{scan(0, Arg{}, Arg{})} }},
		{"relation without component", "in no component", func(p *Program) { p.Components = p.Components[:3] }},
		{"relation in two components", "component 0, too", func(p *Program) { p.Components[1].Relations = []int{4, 1} }},
		{"base relation in a component", "is not derived", func(p *Program) { p.Components[1].Relations = []int{4, 0} }},
		{"rule in two components", "two places", func(p *Program) { p.Components[0].Rules = []int{0, 1, 1} }},
		{"rule in the wrong component", "is not in it", func(p *Program) { p.Components[0].Rules, p.Components[1].Rules = []int{0, 3}, []int{1} }},
		{"rule in no component", "in no component", func(p *Program) { p.Components[0].Rules = []int{0} }},
		{"component of no rule of the program", "rule 12", func(p *Program) { p.Components[0].Rules = []int{0, 1, 12} }},
		{"recursion through a negated scan that is not marked", "through a negation", func(p *Program) { p.Rules[1].Body[0].Neg = true }},
		{"well-founded recursion through a negated body", "through a negation", func(p *Program) {
			p.Components[0].WellFounded = true
			p.Rules[1].Body[0] = Atom{Op: AtomExists, Neg: true, Body: []Atom{p.Rules[1].Body[0]}}
		}},
		{"well-founded recursion through a fold", "through a negation or an aggregate", func(p *Program) {
			p.Components[0].WellFounded = true
			p.Rules[1].Body[0] = Atom{Op: AtomFold, Slot: 1, Fold: FoldCount, Body: []Atom{p.Rules[1].Body[0]}}
		}},
		{"recursion that is not marked", "not marked recursive", func(p *Program) { p.Components[0].Recursive = false }},
		{"components out of order", "later component", func(p *Program) { p.Components[0], p.Components[2] = p.Components[2], p.Components[0] }},
		{"recursion through negation", "negation", func(p *Program) { p.Rules[1].Body[0].Neg = true }},
		{"recursion through an aggregate", "aggregate", func(p *Program) {
			p.Rules[1].Body[0] = Atom{Op: AtomFold, Fold: FoldCount, Slot: 0, Body: []Atom{scan(1, slotArg(0), slotArg(1))}}
		}},
		{"recursion inside a negated exists", "negation", func(p *Program) {
			p.Rules[1].Body[0] = Atom{Op: AtomExists, Neg: true, Body: []Atom{scan(1, slotArg(0), slotArg(1))}}
		}},
		{"function with fewer slots than parameters", "only 0 slots", func(p *Program) { p.Functions[0].Slots = nil }},
		{"unknown builtin", "unknown builtin", func(p *Program) { p.Functions[0].Body.Args[1].Name = "exec" }},
		{"builtin of another arity", "builtin", func(p *Program) { p.Functions[0].Body.Args[1].Args = nil }},
		{"read of another arity", "columns", func(p *Program) { p.Functions[1].Body.Index = 4 }},
		{"write to a derived relation", "is derived", func(p *Program) { body(p)[2].Rel = 1 }},
		{"assert of another arity", "columns", func(p *Program) { body(p)[2].Exprs = nil }},
		{"new of a bad slot", "slot 9", func(p *Program) { body(p)[1].Slot = 9 }},
		{"new in a pair", "1 operands", func(p *Program) { body(p)[1].Rels = []int{0} }},
		{"field of another arity", "2 operands", func(p *Program) { body(p)[1].Fields[0].Relation = 3 }},
		{"more marks than operands", "marks", func(p *Program) { body(p)[3].Wild = make([]bool, 3) }},
		{"operand that is not wild", "constant 99", func(p *Program) { body(p)[3].Wild = nil }},
		{"statement with a body", "has a body", func(p *Program) { body(p)[2].Body = []Stmt{{Op: StmtReturn}} }},
		{"if without condition", "0 operands", func(p *Program) { body(p)[4].Exprs = nil }},
		{"call of another mutation", "mutation 4 of 1", func(p *Program) { body(p)[5].Body[0].Index = 4 }},
		{"call with too few operands", "1 parameters", func(p *Program) { body(p)[5].Body[0].Exprs = nil }},
		{"subquery without body", "without a body", func(p *Program) { body(p)[0].Exprs[0].Sub = nil }},
		{"subquery without result", "without a result", func(p *Program) { body(p)[0].Exprs[0].Sub.Op = SubSet }},
		{"query with fewer columns", "0 columns", func(p *Program) { p.Queries[0].Columns = nil }},
		{"query's extent of another arity", "1 operands", func(p *Program) { p.Queries[0].Truth = 0 }},
		{"query at no time", "read point", func(p *Program) { p.Queries[0].AsOf = &AsOf{ByVT: true} }},
		{"check of another rule", "does not define", func(p *Program) { p.Checks[0].Rule = 0 }},
		{"check of no relation", "relation 99", func(p *Program) { p.Checks[0].Relation = 99 }},
		{"payload that reads", "reads relations", func(p *Program) {
			p.Checks[0].Payload.Message = Expr{Op: ExprCall, Index: 2, Args: []Expr{slotExpr(0)}}
		}},
		{"payload of a bad slot", "slot 5", func(p *Program) { p.Checks[0].Payload.Code = slotExpr(5) }},
		{"test of a bad mutation", "mutation 3", func(p *Program) { p.Tests[0].Steps[0].Mutation = 3 }},
		{"test that asserts nothing", "asserts nothing", func(p *Program) { p.Tests[0].Steps[2].Expr = nil }},
		{"span in no file", "file 1 of 1", func(p *Program) { p.Rules[0].Span = Span{File: 1, End: 2} }},
		{"span that ends before it starts", "bytes 5 to 2", func(p *Program) { p.Rules[0].Span = Span{Start: 5, End: 2} }},
		{"too deep", "deeper than", func(p *Program) {
			x := slotExpr(0)
			for range MaxDepth {
				x = Expr{Op: ExprNot, Args: []Expr{x}}
			}
			p.Functions[0].Body = x
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := harbour()
			c.harm(p)
			err := p.Validate()
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("%v, want an error with %q", err, c.want)
			}
		})
	}
}

func TestExtensionContinuesItsProgram(t *testing.T) {
	slots := []Slot{{Type: Type{Op: TypeInt}}}
	column := []Column{{Name: "x", Type: Type{Op: TypeInt}}}
	good := func() *Extension {
		return &Extension{
			Constants:  []Value{StringValue("more")},
			Relations:  []Relation{{Name: "aux", Role: Derived, Columns: column, Asserted: -1, Refuted: -1}},
			Rules:      []Rule{{Head: 7, Args: []Arg{slotArg(0)}, Slots: slots, Body: []Atom{scan(2, slotArg(0), Arg{Op: ArgConst, Index: 2})}}},
			Components: []Component{{Relations: []int{7}, Rules: []int{5}}},
			Queries:    []Query{{Slots: slots, Body: []Atom{scan(7, slotArg(0))}, Out: []Arg{slotArg(0)}, Columns: column, Truth: 7}},
		}
	}
	if err := good().Validate(harbour()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		want string
		harm func(*Extension)
	}{
		{"rule for the program's relation", "adds no rules", func(e *Extension) { e.Rules[0].Head = 4 }},
		{"constant past its own", "constant 3 of 3", func(e *Extension) { e.Rules[0].Body[0].Args[1].Index = 3 }},
		{"relation past its own", "relation 8 of 8", func(e *Extension) { e.Queries[0].Body[0].Rel = 8 }},
		{"component of the program's relation", "none that it could define", func(e *Extension) { e.Components[0].Relations = []int{1} }},
		{"component of the program's rule", "none that it could hold", func(e *Extension) { e.Components[0].Rules = []int{0} }},
		{"no component", "in no component", func(e *Extension) { e.Components = nil }},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := good()
			c.harm(e)
			if err := e.Validate(harbour()); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("%v, want an error with %q", err, c.want)
			}
		})
	}
}

// Whatever number of a valid program is changed to whatever else, Validate
// answers.
func TestValidateSurvivesAnyNumber(t *testing.T) {
	count := 0
	numbers(reflect.ValueOf(harbour()).Elem(), func(reflect.Value) { count++ })
	rapid.Check(t, func(t *rapid.T) {
		p := harbour()
		for range rapid.IntRange(1, 3).Draw(t, "changes") {
			at, n := rapid.IntRange(0, count-1).Draw(t, "at"), rapid.OneOf(rapid.Int64Range(-2, 12), rapid.Int64()).Draw(t, "n")
			i := 0
			numbers(reflect.ValueOf(p).Elem(), func(v reflect.Value) {
				if i == at {
					if v.CanInt() {
						v.SetInt(n)
					} else {
						v.SetUint(uint64(n) & 0xff)
					}
				}
				i++
			})
		}
		_ = p.Validate()
		for i := range p.Checks {
			_ = p.Checks[i].Payload.Message.Slots(1)
		}
	})
}

// numbers calls f for every number below v.
func numbers(v reflect.Value, f func(reflect.Value)) {
	switch v.Kind() {
	case reflect.Int, reflect.Uint8:
		f(v)
	case reflect.Pointer:
		if !v.IsNil() {
			numbers(v.Elem(), f)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[Value]() {
			return
		}
		for i := range v.NumField() {
			numbers(v.Field(i), f)
		}
	case reflect.Slice:
		for i := range v.Len() {
			numbers(v.Index(i), f)
		}
	}
}

func TestEvaluateRequestIsChecked(t *testing.T) {
	p := harbour()
	good := func() *EvaluateRequest {
		return &EvaluateRequest{
			Constants: p.Constants, Functions: p.Functions, Payload: harbour().Checks[0].Payload,
			Columns: p.Relations[6].Columns, Frame: Frame{Columns: make([][]Term, 1)},
		}
	}
	if err := good().Validate(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		harm func(*EvaluateRequest)
	}{
		{"frame of other columns", func(q *EvaluateRequest) { q.Frame.Columns = nil }},
		{"bad constant", func(q *EvaluateRequest) { q.Constants = nil }},
		{"bad slot", func(q *EvaluateRequest) { q.Payload.Code = slotExpr(3) }},
		{"call of a reader", func(q *EvaluateRequest) {
			q.Payload.Code = Expr{Op: ExprCall, Index: 2, Args: []Expr{slotExpr(0)}}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := good()
			c.harm(q)
			if q.Validate() == nil {
				t.Fatal("taken")
			}
		})
	}
}

func TestExpressionOverPresetSlots(t *testing.T) {
	p := harbour()
	x := Expr{Op: ExprFor, Index: 3, Args: []Expr{{Op: ExprList}, {Op: ExprAdd, Args: []Expr{slotExpr(3), slotExpr(0)}}}}
	if got := x.Slots(1); got != 4 {
		t.Fatalf("%d slots, want 4", got)
	}
	if err := p.ValidateExpr(&x, 1, nil); err != nil {
		t.Fatal(err)
	}
	x = slotExpr(1)
	if err := p.ValidateExpr(&x, 1, nil); err == nil {
		t.Fatal("a slot that nothing sets is taken")
	}
}

func TestAWellFoundedComponentMayNegateItself(t *testing.T) {
	p := harbour()
	p.Components[0].WellFounded = true
	p.Rules[1].Body[0].Neg = true
	if err := p.Validate(); err != nil {
		t.Error(err)
	}
}

func TestAComponentMayGoRoundThroughTheBest(t *testing.T) {
	good := func() *Program {
		p := harbour()
		c := &p.Components[0]
		c.Costs = []Cost{{Relation: 1, Column: 1}}
		p.Rules[1].Slots = make([]Slot, 4)
		p.Rules[1].Args = []Arg{slotArg(0), slotArg(1)}
		x := slotExpr(2)
		p.Rules[1].Body = []Atom{scan(0, slotArg(0), Arg{}), {Op: AtomFold, Slot: 1, Fold: FoldMin, Over: []int{2}, Expr: &x, Body: []Atom{scan(1, slotArg(0), slotArg(2))}}}
		return p
	}
	p := good()
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	var again Program
	if err := again.DecodeCBOR(p.AppendCBOR(nil)); err != nil || !reflect.DeepEqual(again.Components, p.Components) {
		t.Fatalf("read back: %+v, %v", again.Components, err)
	}
	fold := func(p *Program) *Atom { return &p.Rules[1].Body[1] }
	for _, c := range []struct {
		name string
		want string
		harm func(*Program)
	}{
		{"of another relation", "is not in it", func(p *Program) { p.Components[0].Costs[0].Relation = 2 }},
		{"of no column", "column 2 of", func(p *Program) { p.Components[0].Costs[0].Column = 2 }},
		{"twice", "two costs", func(p *Program) { p.Components[0].Costs = append(p.Components[0].Costs, p.Components[0].Costs[0]) }},
		{"with negation", "well-founded", func(p *Program) { p.Components[0].WellFounded = true }},
		{"none", "through a negation or an aggregate", func(p *Program) { p.Components[0].Costs = nil }},
		{"the other way", "best cost", func(p *Program) { p.Components[0].Costs[0].Most = true }},
		{"counted", "best cost", func(p *Program) { fold(p).Fold = FoldCount }},
		{"not given", "best cost", func(p *Program) { p.Rules[1].Args[1] = slotArg(0) }},
		{"two of them", "through a negation or an aggregate", func(p *Program) {
			second := *fold(p)
			second.Slot = 3
			p.Rules[1].Body = append(p.Rules[1].Body, second)
		}},
		{"two for one value", "through a negation or an aggregate", func(p *Program) { p.Rules[1].Body = append(p.Rules[1].Body, *fold(p)) }},
		{"one in the other", "through a negation or an aggregate", func(p *Program) {
			inner := *fold(p)
			inner.Slot = 3
			fold(p).Body = append(slices.Clone(fold(p).Body), inner)
		}},
		{"in a nested body", "through a negation or an aggregate", func(p *Program) { p.Rules[1].Body[1] = Atom{Op: AtomExists, Body: []Atom{*fold(p)}} }},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := good()
			c.harm(p)
			if err := p.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}
