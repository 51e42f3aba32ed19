package types

import (
	"fmt"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// expr types x, which must fit want; Top wants nothing in particular.
func (s *scope) expr(x syntax.Expr, want abi.Type) (abi.Expr, abi.Type) {
	got, t := s.value(x, want)
	if got.Op == abi.ExprSlot && unknown(t) && !unknown(want) {
		s.bound(got.Index, want)
		t = want
	}
	if !s.e.Fits(t, want) {
		if s.fitsWidth(got, t, want) {
			return got, want
		}
		s.mismatch(x, t, want)
		return got, want
	}
	return got, t
}

func (s *scope) mismatch(x syntax.Node, got, want abi.Type) {
	if s.e.cutOff(s.m, x.Range()) {
		return // a report stands already
	}
	help := ""
	switch {
	case got.Op == abi.TypeReal && want.Op == abi.TypeDecimal:
		help = "say how many digits to keep: round(x, 2)"
	case got.Op == abi.TypeInt && want.Op == abi.TypeNat:
		help = "a difference may be negative: take abs(x), or give the place type Int"
	case IsRef(got) && IsIndividual(strip(want)):
		help = "the name of a declaration is the declaration itself: for a member of it write a variable"
	case got.Op == abi.TypeOption && s.e.Fits(got.Args[0], want):
		help = "it may be absent: take x.or(default), or match Some(x)"
	}
	s.report("OE0257", x, help, "this is of type %s, and here %s is wanted", Print(got), Print(want))
}

// value types x without holding it to want, which only says what an open form
// such as None or [] may be.
func (s *scope) value(x syntax.Expr, want abi.Type) (abi.Expr, abi.Type) {
	if v, ok := s.frame.typed[x]; ok {
		return v.value, v.of
	}
	if s.e.ended() {
		return abi.Expr{}, Top
	}
	v, t := s.valueOf(x, want)
	if len(t.Args) > 0 && parts(t, maxParts) > maxParts {
		s.unsupported(x, fmt.Sprintf("a type that is made of more than %d others", maxParts), "give a part of it a type of its own: a struct that says what it is made of")
		return v, Top
	}
	return v, t
}

func (s *scope) valueOf(x syntax.Expr, want abi.Type) (abi.Expr, abi.Type) {
	switch x := x.(type) {
	case *syntax.Lit:
		if s.spoken && x.Kind == syntax.StringLit {
			if v, ok := s.spokenType(x, strip(want)); ok {
				return v, strip(want)
			}
		}
		if s.spoken && x.Kind == syntax.StringLit && strip(want).Op == abi.TypeConcept {
			return s.constant(abi.NamedValue(s.e.Individual(x.Text)), x), want
		}
		return s.literal(x)
	case *syntax.Text:
		return s.interpolation(x)
	case *syntax.Name:
		return s.name(x, want)
	case *syntax.Wild:
		if s.hole > 0 {
			return s.slotExpr(s.hole-1, x), s.typeOf(s.hole - 1)
		}
		s.report("OE0269", x, "name the value", "_ stands for any value, and only as an argument of an atom")
	case *syntax.Unary:
		return s.unary(x)
	case *syntax.Binary:
		if x.Op == "||" {
			return s.supposedExpr(func() (abi.Expr, abi.Type) { return s.binary(x) })
		}
		return s.binary(x)
	case *syntax.Call:
		return s.call(x, want)
	case *syntax.Method:
		return s.method(x, want)
	case *syntax.Index:
		return s.index(x)
	case *syntax.Slice:
		return s.slice(x)
	case *syntax.List:
		return s.list(x, want)
	case *syntax.Comprehension:
		return s.comprehension(x)
	case *syntax.If:
		return s.supposedExpr(func() (abi.Expr, abi.Type) { return s.conditional(x, want) })
	case *syntax.Match:
		return s.match(x, want)
	case *syntax.Block:
		return s.block(x, want)
	case *syntax.Aggregate:
		return s.supposedExpr(func() (abi.Expr, abi.Type) { return s.aggregate(x) })
	case *syntax.Subquery:
		return s.supposedExpr(func() (abi.Expr, abi.Type) { return s.subquery(x) })
	case *syntax.StructLit:
		return s.structLit(x, want)
	case *syntax.Insert:
		return s.insertExpr(x)
	case *syntax.Try:
		return s.try(x)
	case *syntax.Closure:
		return s.closure(x, want)
	case *syntax.MapLit:
		return s.mapLit(x, want)
	case *syntax.SetLit:
		return s.setLit(x, want)
	case *syntax.MacroExpr:
		if s.spoken { // elsewhere expansion has reported it
			s.unsupported(x, "a macro in an ad-hoc body", "write what it stands for, or use it in a fn or derive of the package")
		}
	case *syntax.UnsupportedExpr:
		s.unsupported(x, x.What, "")
	}
	return abi.Expr{}, Top
}

func (s *scope) interpolation(x *syntax.Text) (abi.Expr, abi.Type) {
	out := abi.Expr{Op: abi.ExprText, Span: s.span(x)}
	for _, p := range x.Parts {
		part, _ := s.value(p, Top)
		out.Args = append(out.Args, part)
	}
	return out, String
}

var valueKinds = resolve.Kinds(resolve.IndividualKind, resolve.VariantKind, resolve.AxisValueKind)

func (s *scope) name(x *syntax.Name, want abi.Type) (abi.Expr, abi.Type) {
	lone := len(x.Path.Parts) == 1
	name := ""
	if lone {
		name = x.Path.Parts[0].Name
		if name == "" {
			return abi.Expr{}, Top
		}
		if i, ok := s.find(name); ok {
			return s.slotExpr(i, x), s.typeOf(i)
		}
	}
	if sym := s.e.World.Lookup(s.m, x.Path, valueKinds); sym != nil {
		return s.symbolValue(x, sym)
	}
	switch {
	case name == "None":
		return s.constant(abi.NoneValue(), x), Option(abi.Type{Op: abi.TypeBot})
	case s.fnValue(x, want) != nil:
		f := s.fnValue(x, want)
		return s.reference(x, f, want)
	case lone && s.enumConstant(x, name, want):
		return abi.Expr{}, Top
	}
	if v, t, ok := s.referenceTo(x, want); ok {
		return v, t
	}
	if lone && s.e.World.Unimported(s.m, name) {
		s.e.World.Resolve(s.m, x.Path, valueKinds) // an error, though none that is seen
		return abi.Expr{}, Top
	}
	if lone && s.rule {
		i := s.declare(name, Top)
		return s.slotExpr(i, x), Top
	}
	if sym := s.e.World.Lookup(s.m, x.Path, anyDeclared); sym != nil {
		if s.noType(x) {
			return abi.Expr{}, Top
		}
		s.report("OE0201", x, "call it: "+x.Path.String()+"(…)", "%s is a %s, and here stands a value", x.Path, sym.Kind)
		return abi.Expr{}, Top
	}
	if root := s.root(); lone && root.asks != nil {
		*root.asks = append(*root.asks, name)
		return s.slotExpr(root.declare(name, Top), x), Top
	}
	if lone {
		candidates := s.locals()
		if s.e.hints < maxHints {
			candidates = append(candidates, s.e.World.Names(s.m, nil, valueKinds)...)
		}
		s.report("OE0101", x, s.e.nearest(name, candidates), "there is no %s in this %s", name, s.word)
		return abi.Expr{}, Top
	}
	s.e.World.Resolve(s.m, x.Path, valueKinds)
	return abi.Expr{}, Top
}

var anyDeclared = resolve.Kinds(resolve.ConceptKind, resolve.RelationKind, resolve.MetatypeKind, resolve.MetarelKind,
	resolve.StructKind, resolve.EnumKind, resolve.FnKind, resolve.DeriveKind, resolve.QueryKind, resolve.MutateKind, resolve.CheckKind)

// enumConstant reports a lone name that is a constant of the enum wanted here:
// taken for a variable it would match everything.
func (s *scope) enumConstant(x *syntax.Name, name string, want abi.Type) bool {
	want = strip(want)
	if want.Op != abi.TypeEnum {
		return false
	}
	n := s.e.Enums[want.Name]
	if n == nil || n.Variant(name) == nil {
		return false
	}
	s.report("OE0101", x, "write "+n.Symbol.Name+"::"+name, "%s is a constant of %s, and its name alone is not in scope", name, n.Name)
	return true
}

func (s *scope) symbolValue(x syntax.Node, sym *resolve.Symbol) (abi.Expr, abi.Type) {
	if sym.Kind == resolve.VariantKind || sym.Kind == resolve.AxisValueKind {
		n := s.e.Enums[sym.Enum.Qualified]
		if n == nil {
			return abi.Expr{}, Top
		}
		if v := n.Variant(sym.Name); v != nil && len(v.Fields) > 0 {
			s.report("OE0258", x, "", "%s has a payload of %s", v.Name, plural(len(v.Fields), "value"))
		}
		return s.constant(abi.SymbolValue(sym.Qualified), x), n.of(nil)
	}
	return s.constant(abi.NamedValue(sym.Qualified), x), s.e.individualType(sym)
}

// anyIndividual is the type of an individual of which no fact names a concept.
var anyIndividual = abi.Type{Op: abi.TypeConcept}

// individualType is the concept that declared facts put sym in; the most
// special one where there are several.
func (e *Env) individualType(sym *resolve.Symbol) abi.Type {
	if t, ok := e.individuals[sym]; ok {
		return t
	}
	if c := sym.Module.Package.Cell(sym.Name); c != nil {
		return e.Concepts[c.Qualified].Type()
	}
	return anyIndividual
}

func (s *scope) unary(x *syntax.Unary) (abi.Expr, abi.Type) {
	if x.Op == "!" {
		arg, _ := s.expr(x.X, Bool)
		return abi.Expr{Op: abi.ExprNot, Args: []abi.Expr{arg}, Span: s.span(x)}, Bool
	}
	arg, t := s.value(x.X, Top)
	base := strip(t)
	if !unknown(base) && !amount(base) && base.Op != abi.TypeDuration {
		s.report("OE0257", x, "", "- takes a number, an amount of money or a duration, not %s", Print(t))
		return abi.Expr{}, Top
	}
	if base.Op == abi.TypeNat {
		base = Int
	}
	out := abi.Expr{Op: abi.ExprNeg, Args: []abi.Expr{arg}, Span: s.span(x)}
	if v, ok := s.e.constant(&out); ok {
		return s.constant(v, x), base
	}
	return out, base
}

var arithmetic = map[string]abi.ExprOp{"+": abi.ExprAdd, "-": abi.ExprSub, "*": abi.ExprMul, "/": abi.ExprDiv, "%": abi.ExprMod}

var comparison = map[string]abi.ExprOp{
	"==": abi.ExprEq, "!=": abi.ExprNe, "<": abi.ExprLt, "<=": abi.ExprLe, ">": abi.ExprGt, ">=": abi.ExprGe,
}

func (s *scope) binary(x *syntax.Binary) (abi.Expr, abi.Type) {
	span := s.span(x)
	switch x.Op {
	case "&&", "||":
		a, _ := s.expr(x.X, Bool)
		b, _ := s.maybe().expr(x.Y, Bool)
		op := abi.ExprAnd
		if x.Op == "||" {
			op = abi.ExprOr
		}
		return abi.Expr{Op: op, Args: []abi.Expr{a, b}, Span: span}, Bool
	case "in", "not in":
		return s.membership(x)
	}
	if e, negative := s.comparesNone(x); e != nil {
		return s.absent(e, x, !negative), Bool
	}
	if v, ok := s.individualMeta(x); ok {
		return v, Bool
	}
	a, b, ta, tb := s.operands(x.X, x.Y)
	if op, ok := comparison[x.Op]; ok {
		fine := s.e.Comparable(ta, tb)
		if x.Op != "==" && x.Op != "!=" {
			fine = s.e.Ordered(ta, tb)
			if axis := s.e.chain(ta); axis != nil && fine {
				a, b = s.ranked(a, axis, x.X), s.ranked(b, axis, x.Y)
			}
		}
		if !fine {
			s.report("OE0257", x, namesIndividual(x, ta, tb), "%s cannot be compared by %s with %s", Print(ta), x.Op, Print(tb))
		} else {
			s.oneCurrency(x, &a, &b, ta, tb)
		}
		return abi.Expr{Op: op, Args: []abi.Expr{a, b}, Span: span}, Bool
	}
	op, ok := arithmetic[x.Op]
	if !ok {
		return abi.Expr{}, Top
	}
	t, ok := s.e.Arithmetic(x.Op, ta, tb)
	if !ok {
		s.report("OE0257", x, "", "%s %s %s has no meaning", Print(ta), x.Op, Print(tb))
		return abi.Expr{}, Top
	}
	s.oneCurrency(x, &a, &b, ta, tb)
	return abi.Expr{Op: op, Args: []abi.Expr{a, b}, Span: span}, t
}

// namesIndividual is the help where an individual is compared with a string
// literal.
func namesIndividual(x *syntax.Binary, a, b abi.Type) string {
	for _, y := range []syntax.Expr{x.X, x.Y} {
		if l, ok := y.(*syntax.Lit); ok && l.Kind == syntax.StringLit && (IsIndividual(strip(a)) || IsIndividual(strip(b))) {
			if syntax.IsIdent(l.Text) {
				return "an individual is named without quotes: " + l.Text
			}
			return "an individual is no text: compare a field of it"
		}
	}
	return ""
}

// operands types two sides of which each may say what the other has to be.
func (s *scope) operands(x, y syntax.Expr) (a, b abi.Expr, ta, tb abi.Type) {
	if openName(x) && !s.naming(y) && !(openName(y) && s.typedName(x)) || s.naming(x) {
		b, tb = s.value(y, Top)
		a, ta = s.value(x, tb)
	} else {
		a, ta = s.value(x, Top)
		b, tb = s.value(y, ta)
	}
	if a.Op == abi.ExprSlot && unknown(ta) {
		s.bound(a.Index, strip(tb))
	}
	if b.Op == abi.ExprSlot && unknown(tb) {
		s.bound(b.Index, strip(ta))
	}
	return a, b, ta, tb
}

// naming reports whether x is a string that may name an individual, which the
// other side has to say.
func (s *scope) naming(x syntax.Expr) bool {
	l, ok := x.(*syntax.Lit)
	return ok && l.Kind == syntax.StringLit && s.spoken
}

// typedName reports whether the lone name x is a variable of a known type.
func (s *scope) typedName(x syntax.Expr) bool {
	slot, ok := s.find(x.(*syntax.Name).Path.Parts[0].Name)
	return ok && !unknown(s.typeOf(slot))
}

// openName reports whether x is a lone name, which the other side may explain.
func openName(x syntax.Expr) bool {
	n, ok := x.(*syntax.Name)
	return ok && len(n.Path.Parts) == 1
}

func (s *scope) membership(x *syntax.Binary) (abi.Expr, abi.Type) {
	coll, tc := s.source(x.Y)
	elem := Top
	switch {
	case collection(tc), tc.Op == abi.TypeMap, tc.Op == abi.TypeRange:
		elem = tc.Args[0]
	case !unknown(tc):
		s.report("OE0257", x.Y, "", "in takes a list, a set, a map or a range, not %s", Print(tc))
	}
	lost := s.noSource(x.Y, coll, tc, false)
	item, ti := s.value(x.X, elem)
	if item.Op == abi.ExprSlot {
		s.bound(item.Index, elem)
		s.frame.lost[item.Index] = s.frame.lost[item.Index] || lost && unknown(s.typeOf(item.Index))
	}
	if !s.e.Comparable(ti, elem) {
		s.report("OE0257", x.X, "", "the items are of type %s, and this is of type %s", Print(elem), Print(ti))
	}
	out := abi.Expr{Op: abi.ExprIn, Args: []abi.Expr{item, coll}, Span: s.span(x)}
	switch tc.Op {
	case abi.TypeMap: // its keys are items, which a variable may range over
		out.Args[1] = abi.Expr{Op: abi.ExprBuiltin, Name: abi.BuiltinKeys, Args: []abi.Expr{coll}, Span: s.span(x.Y)}
	case abi.TypeRange: // what is between two ends is no list
		out = abi.Expr{Op: abi.ExprBuiltin, Name: abi.BuiltinHas, Args: []abi.Expr{coll, item}, Span: s.span(x)}
	}
	if x.Op == "not in" {
		out = abi.Expr{Op: abi.ExprNot, Args: []abi.Expr{out}, Span: s.span(x)}
	}
	return out, Bool
}

func (s *scope) conditional(x *syntax.If, want abi.Type) (abi.Expr, abi.Type) {
	cond, _ := s.expr(x.Cond, Bool)
	a, ta := s.maybe().value(x.Then, want)
	if x.Else == nil {
		s.report("OE0257", x, "add an else", "an if that gives a value needs an else")
		return a, ta
	}
	b, tb := s.maybe().value(x.Else, want)
	t, ok := s.e.Join(ta, tb)
	if !ok {
		s.report("OE0257", x.Else, "", "the two branches differ: %s and %s", Print(ta), Print(tb))
	}
	return abi.Expr{Op: abi.ExprIf, Args: []abi.Expr{cond, a, b}, Span: s.span(x)}, t
}

func (s *scope) block(x *syntax.Block, want abi.Type) (abi.Expr, abi.Type) {
	in := s.inner()
	type binding struct {
		slot  int
		value abi.Expr
		node  syntax.Node
	}
	var lets []binding
	told := x.Unread
	for _, stmt := range x.Stmts {
		let, ok := stmt.(*syntax.Let)
		if !ok {
			if _, bad := stmt.(*syntax.BadStmt); !bad && !x.Unread {
				help := ""
				if _, is := stmt.(*syntax.Return); is {
					help = "end the block with the value, without return"
				}
				s.report("OE0261", stmt, help, "a block that gives a value holds only let")
				told = true
			}
			continue
		}
		t := Top
		if let.Type != nil {
			t = s.e.resolveType(s.m, let.Type)
		}
		mark := s.e.errors()
		v, got := in.expr(let.Value, t)
		if unknown(t) {
			t = got
		} else if s.e.errors() > mark {
			t = Top // it is not certain which of the two is meant
		}
		slot := in.declare(let.Name.Name, t)
		in.loseValue(slot, v, t, mark)
		lets = append(lets, binding{slot, v, let})
	}
	if x.Value == nil && told {
		return abi.Expr{}, Top
	}
	if x.Value == nil {
		s.report("OE0257", x, "end the block with an expression", "this block gives no value")
		return abi.Expr{}, Top
	}
	out, t := in.value(x.Value, want)
	for i := len(lets) - 1; i >= 0; i-- {
		out = abi.Expr{Op: abi.ExprLet, Index: lets[i].slot, Args: []abi.Expr{lets[i].value, out}, Span: s.span(lets[i].node)}
	}
	return out, t
}
