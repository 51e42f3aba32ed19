// Package types gives every expression, atom and statement of a workspace its
// static type and writes it down in the expression language of the rule
// program. Reads of fields and relations stay inside the expressions; package
// lower makes joins of them where the place asks for it.
package types

import (
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
)

// The types without arguments.
var (
	Top      = abi.Type{Op: abi.TypeTop} // also of what has no known type
	Bool     = abi.Type{Op: abi.TypeBool}
	Nat      = abi.Type{Op: abi.TypeNat}
	Int      = abi.Type{Op: abi.TypeInt}
	Real     = abi.Type{Op: abi.TypeReal}
	Decimal  = abi.Type{Op: abi.TypeDecimal}
	Money    = abi.Type{Op: abi.TypeMoney}
	String   = abi.Type{Op: abi.TypeString}
	Date     = abi.Type{Op: abi.TypeDate}
	DateTime = abi.Type{Op: abi.TypeDateTime}
	Time     = abi.Type{Op: abi.TypeTime}
	Duration = abi.Type{Op: abi.TypeDuration}
)

// primordial are the types that are in scope everywhere.
var primordial = map[string]abi.Type{
	"Top": Top, "Bot": {Op: abi.TypeBot}, "Bool": Bool, "Nat": Nat, "Int": Int, "Real": Real, "Decimal": Decimal,
	"Money": Money, "String": String, "Date": Date, "DateTime": DateTime, "Duration": Duration, "Time": Time,
}

// List returns [elem].
func List(elem abi.Type) abi.Type { return abi.Type{Op: abi.TypeList, Args: []abi.Type{elem}} }

// Set returns Set<elem>.
func Set(elem abi.Type) abi.Type { return abi.Type{Op: abi.TypeSet, Args: []abi.Type{elem}} }

// Option returns elem?; an optional of an optional is the optional.
func Option(elem abi.Type) abi.Type {
	if elem.Op == abi.TypeOption {
		return elem
	}
	return abi.Type{Op: abi.TypeOption, Args: []abi.Type{elem}}
}

// strip takes the optional off t.
func strip(t abi.Type) abi.Type {
	if t.Op == abi.TypeOption {
		return t.Args[0]
	}
	return t
}

func unknown(t abi.Type) bool { return t.Op == abi.TypeTop && t.Name == "" }

func collection(t abi.Type) bool { return t.Op == abi.TypeList || t.Op == abi.TypeSet }

func numeric(t abi.Type) bool {
	return t.Op == abi.TypeNat || t.Op == abi.TypeInt || t.Op == abi.TypeReal || t.Op == abi.TypeDecimal
}

func integral(t abi.Type) bool { return t.Op == abi.TypeNat || t.Op == abi.TypeInt }

func amount(t abi.Type) bool { return numeric(t) || t.Op == abi.TypeMoney }

func moment(t abi.Type) bool { return t.Op == abi.TypeDate || t.Op == abi.TypeDateTime }

// IsIndividual reports whether values of t are individuals.
func IsIndividual(t abi.Type) bool { return t.Op == abi.TypeConcept }

// Print returns t as it is written in source, names qualified.
func Print(t abi.Type) string {
	switch t.Op {
	case abi.TypeConcept, abi.TypeStruct, abi.TypeEnum:
		if t.Name == "" {
			return "individual"
		}
		return t.Name + printArgs(t.Args)
	case abi.TypeRef:
		return printRef(t)
	case abi.TypeList:
		return "[" + Print(t.Args[0]) + "]"
	case abi.TypeSet:
		return "Set<" + Print(t.Args[0]) + ">"
	case abi.TypeOption:
		return Print(t.Args[0]) + "?"
	case abi.TypeMap:
		return "Map" + printArgs(t.Args)
	case abi.TypeRange:
		return "Range" + printArgs(t.Args)
	case abi.TypeFn:
		return printFn(t)
	}
	if isVar(t) || t.Name != "" {
		return t.Name[strings.LastIndexByte(t.Name, '.')+1:]
	}
	for _, name := range []string{"Top", "Bot", "Bool", "Nat", "Int", "Real", "Decimal", "Money", "String", "Date", "DateTime", "Duration", "Time"} {
		if primordial[name].Op == t.Op {
			return name
		}
	}
	return "?"
}

// Same reports whether a and b are the same type.
func Same(a, b abi.Type) bool {
	if a.Op != b.Op || a.Name != b.Name || len(a.Args) != len(b.Args) {
		return false
	}
	for i := range a.Args {
		if !Same(a.Args[i], b.Args[i]) {
			return false
		}
	}
	return true
}

// Fits reports whether a value of static type from may stand where to is
// wanted. Individuals fit every concept: membership is a fact, which may come
// and go, and is tested where it matters.
func (e *Env) Fits(from, to abi.Type) bool {
	if unknown(from) || unknown(to) || from.Op == abi.TypeBot || Same(from, to) {
		return true
	}
	if isVar(from) {
		for _, c := range e.bounds[from.Name].concepts {
			if e.Fits(c.Type(), to) {
				return true
			}
		}
		for _, trait := range e.bounds[from.Name].traits {
			if to.Op == abi.TypeConcept && to.Name == e.selfType(trait).Name {
				return true
			}
		}
	}
	switch to.Op {
	case abi.TypeOption:
		return from.Op == abi.TypeOption && e.Fits(from.Args[0], to.Args[0]) || e.Fits(from, to.Args[0])
	case abi.TypeList:
		return from.Op == abi.TypeList && e.Fits(from.Args[0], to.Args[0])
	case abi.TypeSet:
		return collection(from) && e.Fits(from.Args[0], to.Args[0])
	case abi.TypeNat:
		return to.Name == "" && from.Op == abi.TypeNat
	case abi.TypeInt:
		return to.Name == "" && integral(from)
	case abi.TypeReal:
		return numeric(from)
	case abi.TypeDecimal:
		return integral(from)
	case abi.TypeMoney:
		return integral(from) || from.Op == abi.TypeDecimal
	case abi.TypeConcept:
		return from.Op == abi.TypeConcept || from.Op == abi.TypeRef && e.higher[to.Name]
	case abi.TypeRef:
		return from.Op == abi.TypeRef && e.refFits(from, to) || from.Op == abi.TypeConcept && e.higher[from.Name]
	case abi.TypeStruct, abi.TypeEnum, abi.TypeMap, abi.TypeRange:
		return from.Op == to.Op && from.Name == to.Name && e.fitAll(from.Args, to.Args)
	case abi.TypeFn:
		return from.Op == abi.TypeFn && e.fitsFn(from.Args, to.Args)
	}
	return false
}

// Comparable reports whether == and != make sense between a and b.
func (e *Env) Comparable(a, b abi.Type) bool {
	a, b = strip(a), strip(b)
	if unknown(a) || unknown(b) || e.Fits(a, b) || e.Fits(b, a) || IsRef(a) && IsRef(b) && a.Name == b.Name {
		return true
	}
	return amount(a) && amount(b) || moment(a) && moment(b) || collection(a) && collection(b) && e.Comparable(a.Args[0], b.Args[0])
}

// Ordered reports whether < makes sense between a and b.
func (e *Env) Ordered(a, b abi.Type) bool {
	a, b = strip(a), strip(b)
	if unknown(a) || unknown(b) {
		return true
	}
	switch {
	case isVar(a) || isVar(b):
		return Same(a, b)
	case amount(a) && amount(b), moment(a) && moment(b):
		return true
	}
	return Same(a, b) && (e.chain(a) != nil || a.Op == abi.TypeString || a.Op == abi.TypeDuration || a.Op == abi.TypeTime)
}

// Join returns the least type that both a and b fit, as far as there is one.
func (e *Env) Join(a, b abi.Type) (abi.Type, bool) {
	switch {
	case a.Op == abi.TypeBot || unknown(a):
		return b, true
	case b.Op == abi.TypeBot || unknown(b):
		return a, true
	case a.Op == abi.TypeConcept && b.Op == abi.TypeConcept:
		return e.joinConcepts(a, b), true
	case IsRef(a) && IsRef(b):
		return e.joinRefs(a, b)
	case e.Fits(a, b):
		return b, true
	case e.Fits(b, a):
		return a, true
	case integral(a) && integral(b):
		return widest(unbounded(a), unbounded(b)), true
	case numeric(a) && numeric(b):
		return Real, true
	case a.Op == b.Op && a.Name == b.Name && len(a.Args) > 0 && len(a.Args) == len(b.Args) && a.Op != abi.TypeFn:
		return e.joinArgs(a, b)
	case a.Op == abi.TypeOption || b.Op == abi.TypeOption:
		t, ok := e.Join(strip(a), strip(b))
		return Option(t), ok
	}
	return Top, false
}

// joinConcepts returns the nearest common ancestor, or Top's stand-in among
// individuals: the first type, because every concept holds individuals.
func (e *Env) joinConcepts(a, b abi.Type) abi.Type {
	if a.Name == b.Name {
		return a
	}
	ca, cb := e.Concepts[a.Name], e.Concepts[b.Name]
	if ca == nil || cb == nil {
		return a
	}
	for _, up := range ca.ancestors() {
		if cb.Is(up) {
			return abi.Type{Op: abi.TypeConcept, Name: up.Name}
		}
	}
	return Top
}

// Arithmetic returns the type of a op b, with op one of + - * / %.
func (e *Env) Arithmetic(op string, a, b abi.Type) (abi.Type, bool) {
	a, b = unbounded(strip(a)), unbounded(strip(b))
	if unknown(a) || unknown(b) {
		if unknown(a) && (moment(b) || !amount(b)) || unknown(b) && (moment(a) || !amount(a)) {
			return Top, true
		}
		if op == "/" {
			return Real, true
		}
		if unknown(a) {
			return b, true
		}
		return a, true
	}
	money := a.Op == abi.TypeMoney || b.Op == abi.TypeMoney
	both := a.Op == abi.TypeMoney && b.Op == abi.TypeMoney
	switch op {
	case "+", "-":
		switch {
		case op == "+" && a.Op == abi.TypeString && b.Op == abi.TypeString:
			return String, true
		case moment(a) && b.Op == abi.TypeDuration:
			return a, true
		case op == "-" && (moment(a) && moment(b) || a.Op == abi.TypeTime && b.Op == abi.TypeTime):
			return Duration, true
		case a.Op == abi.TypeDuration && b.Op == abi.TypeDuration:
			return Duration, true
		case op == "+" && a.Op == abi.TypeDuration && moment(b):
			return b, true
		case money && amount(a) && amount(b):
			return Money, true
		case numeric(a) && numeric(b):
			t := widest(a, b)
			if op == "-" && t.Op == abi.TypeNat {
				t = Int
			}
			return t, true
		}
	case "*":
		switch {
		case both:
			return Top, false
		case money && amount(a) && amount(b):
			return Money, true
		case numeric(a) && numeric(b):
			return widest(a, b), true
		case a.Op == abi.TypeDuration && integral(b), integral(a) && b.Op == abi.TypeDuration:
			return Duration, true
		}
	case "/":
		switch {
		case both:
			return Real, true
		case a.Op == abi.TypeMoney && numeric(b):
			return Money, true
		case numeric(a) && numeric(b):
			return Real, true
		}
	case "%":
		if numeric(a) && numeric(b) {
			return widest(a, b), true
		}
	}
	return Top, false
}

func widest(a, b abi.Type) abi.Type {
	rank := func(t abi.Type) int {
		switch t.Op {
		case abi.TypeNat:
			return 0
		case abi.TypeInt:
			return 1
		case abi.TypeDecimal:
			return 2
		}
		return 3
	}
	if rank(a) >= rank(b) {
		return a
	}
	return b
}
