package types

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// signature is what a built-in function takes and gives. A parameter is a test
// of the argument's type; result gets the argument types.
type signature struct {
	name   string // of the ABI
	params []func(abi.Type) bool
	min    int // arguments that must be given
	result func(args []abi.Type) abi.Type
	method bool // also as x.name
}

func always(t abi.Type) func([]abi.Type) abi.Type {
	return func([]abi.Type) abi.Type { return t }
}

func is(op abi.TypeOp) func(abi.Type) bool {
	return func(t abi.Type) bool { return t.Op == op || unknown(t) }
}

func anyType(abi.Type) bool { return true }

func wholeNumber(t abi.Type) bool { return integral(t) || unknown(t) }

func anAmount(t abi.Type) bool { return amount(strip(t)) || unknown(t) }

func aMoment(t abi.Type) bool { return moment(t) || unknown(t) }

func rounded(args []abi.Type) abi.Type {
	switch t := strip(args[0]); {
	case t.Op == abi.TypeMoney || integral(t):
		return t
	case len(args) == 1:
		return Int
	}
	return Decimal
}

type predicateOf = func(abi.Type) bool

// builtins are the functions of the language that no package declares.
var builtins = map[string]signature{
	"today":           {name: abi.BuiltinToday, result: always(Date)},
	"now":             {name: abi.BuiltinNow, result: always(DateTime)},
	"round":           {name: abi.BuiltinRound, params: []predicateOf{anAmount, wholeNumber}, min: 1, result: rounded, method: true},
	"round_half_even": {name: abi.BuiltinRoundHalfEven, params: []predicateOf{anAmount, wholeNumber}, min: 1, result: rounded, method: true},
	"trunc":           {name: abi.BuiltinTrunc, params: []predicateOf{anAmount, wholeNumber}, min: 1, result: rounded, method: true},
	"abs": {name: abi.BuiltinAbs, params: []predicateOf{func(t abi.Type) bool { return anAmount(t) || t.Op == abi.TypeDuration }}, min: 1, method: true,
		result: func(a []abi.Type) abi.Type {
			if strip(a[0]).Op == abi.TypeInt {
				return Nat
			}
			return strip(a[0])
		}},
	"len": {name: abi.BuiltinLen, params: []predicateOf{func(t abi.Type) bool { return collection(t) || t.Op == abi.TypeString || unknown(t) }}, min: 1, result: always(Nat), method: true},
	"Some": {name: abi.BuiltinSome, params: []predicateOf{anyType}, min: 1,
		result: func(a []abi.Type) abi.Type { return Option(a[0]) }},
	"is_some": {name: abi.BuiltinIsSome, params: []predicateOf{anyType}, min: 1, result: always(Bool), method: true},
	"or": {name: abi.BuiltinUnwrapOr, params: []predicateOf{anyType, anyType}, min: 2, method: true,
		result: func(a []abi.Type) abi.Type {
			if t := strip(a[0]); !unknown(t) && t.Op != abi.TypeBot {
				return t
			}
			return a[1]
		}},
	"text":        {name: abi.BuiltinText, params: []predicateOf{anyType}, min: 1, result: always(String), method: true},
	"starts_with": {name: abi.BuiltinStartsWith, params: []predicateOf{is(abi.TypeString), is(abi.TypeString)}, min: 2, result: always(Bool), method: true},
	"ends_with":   {name: abi.BuiltinEndsWith, params: []predicateOf{is(abi.TypeString), is(abi.TypeString)}, min: 2, result: always(Bool), method: true},
	"contains":    {name: abi.BuiltinContains, params: []predicateOf{is(abi.TypeString), is(abi.TypeString)}, min: 2, result: always(Bool), method: true},
	"lower":       {name: abi.BuiltinLower, params: []predicateOf{is(abi.TypeString)}, min: 1, result: always(String), method: true},
	"upper":       {name: abi.BuiltinUpper, params: []predicateOf{is(abi.TypeString)}, min: 1, result: always(String), method: true},
	"year":        {name: abi.BuiltinYear, params: []predicateOf{aMoment}, min: 1, result: always(Int), method: true},
	"month":       {name: abi.BuiltinMonth, params: []predicateOf{aMoment}, min: 1, result: always(Nat), method: true},
	"day":         {name: abi.BuiltinDay, params: []predicateOf{aMoment}, min: 1, result: always(Nat), method: true},
	"days": {name: abi.BuiltinDays, params: []predicateOf{func(t abi.Type) bool { return t.Op == abi.TypeDuration || wholeNumber(t) }}, min: 1, method: true,
		result: func(a []abi.Type) abi.Type {
			if a[0].Op == abi.TypeDuration {
				return Int
			}
			return Duration
		}},
}

// builtin types a call of a built-in function; ok is false if name is none.
func (s *scope) builtin(name string, args []syntax.Expr, n syntax.Node, method bool) (abi.Expr, abi.Type, bool) {
	if method && name == "unwrap_or" {
		name = "or"
	}
	b, ok := builtins[name]
	if !ok || method && !b.method || !method && name == "or" {
		return abi.Expr{}, Top, false
	}
	out := abi.Expr{Op: abi.ExprBuiltin, Name: b.name, Span: s.span(n)}
	var typesOf []abi.Type
	for i, arg := range args {
		v, t := s.value(arg, Top)
		typesOf = append(typesOf, t)
		out.Args = append(out.Args, v)
		if i < len(b.params) && !b.params[i](t) {
			if method && i == 0 {
				return abi.Expr{}, Top, false
			}
			s.report("OE0257", arg, "", "%s does not take a value of type %s there", name, Print(t))
			return abi.Expr{}, Top, true
		}
	}
	if len(args) < b.min || len(args) > len(b.params) {
		s.report("OE0258", n, "", "%s takes %s, and %d are given", name, plural(len(b.params), "argument"), len(args))
		return abi.Expr{}, Top, true
	}
	if name == "or" {
		if joined, ok := s.e.Join(strip(typesOf[0]), typesOf[1]); !ok {
			s.report("OE0257", args[1], "", "the value is of type %s and its substitute of type %s", Print(strip(typesOf[0])), Print(typesOf[1]))
		} else {
			return out, joined, true
		}
	}
	return out, b.result(typesOf), true
}
