package eval

import (
	"errors"
	"math/big"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/internal/term"
	"pgregory.net/rapid"
)

// oracle evaluates well-typed expressions over numbers and truth values as a
// person would write it down: by recursion, over big rationals.
type oracle struct {
	constants []abi.Value
	functions []abi.Function
}

var errFault = errors.New("fault")

// value is a *big.Rat, a bool or a []*big.Rat.
func (o *oracle) value(e *abi.Expr, env map[int]*big.Rat) (any, error) {
	number := func(i int) (*big.Rat, error) {
		v, err := o.value(&e.Args[i], env)
		if err != nil {
			return nil, err
		}
		return v.(*big.Rat), nil
	}
	truth := func(i int) (bool, error) {
		v, err := o.value(&e.Args[i], env)
		return err == nil && v.(bool), err
	}
	with := func(slot int, x *big.Rat) map[int]*big.Rat {
		inner := map[int]*big.Rat{}
		for k, v := range env {
			inner[k] = v
		}
		inner[slot] = x
		return inner
	}
	switch e.Op {
	case abi.ExprConst:
		return o.constants[e.Index].Number(), nil
	case abi.ExprSlot:
		return env[e.Index], nil
	case abi.ExprAnd, abi.ExprOr:
		if left, err := truth(0); err != nil || left == (e.Op == abi.ExprOr) {
			return left, err
		}
		return truth(1)
	case abi.ExprNot:
		x, err := truth(0)
		return !x, err
	case abi.ExprIf:
		cond, err := truth(0)
		if err != nil {
			return nil, err
		}
		if cond {
			return o.value(&e.Args[1], env)
		}
		return o.value(&e.Args[2], env)
	case abi.ExprLet:
		x, err := number(0)
		if err != nil {
			return nil, err
		}
		return o.value(&e.Args[1], with(e.Index, x))
	case abi.ExprCall:
		args := map[int]*big.Rat{}
		for i := range e.Args {
			x, err := number(i)
			if err != nil {
				return nil, err
			}
			args[i] = x
		}
		return o.value(&o.functions[e.Index].Body, args)
	case abi.ExprFold:
		sum := new(big.Rat)
		for i := range e.Args[0].Args {
			x, err := o.value(&e.Args[0].Args[i], env)
			if err != nil {
				return nil, err
			}
			inner := with(e.Index, x.(*big.Rat))
			keep, err := o.value(&e.Args[2], inner)
			if err != nil {
				return nil, err
			}
			if keep.(bool) {
				v, err := o.value(&e.Args[1], inner)
				if err != nil {
					return nil, err
				}
				sum.Add(sum, v.(*big.Rat))
			}
		}
		return sum, nil
	}
	a, err := number(0)
	if err != nil {
		return nil, err
	}
	b, err := number(1)
	if err != nil {
		return nil, err
	}
	switch e.Op {
	case abi.ExprAdd:
		return new(big.Rat).Add(a, b), nil
	case abi.ExprSub:
		return new(big.Rat).Sub(a, b), nil
	case abi.ExprMul:
		return new(big.Rat).Mul(a, b), nil
	case abi.ExprDiv:
		if b.Sign() == 0 {
			return nil, errFault
		}
		return new(big.Rat).Quo(a, b), nil
	}
	c := a.Cmp(b)
	return map[abi.ExprOp]bool{
		abi.ExprEq: c == 0, abi.ExprNe: c != 0, abi.ExprLt: c < 0, abi.ExprLe: c <= 0, abi.ExprGt: c > 0, abi.ExprGe: c >= 0,
	}[e.Op], nil
}

// typed draws well-typed expressions over the first n slots; what they bind
// gets the slots from next on.
type typed struct {
	t         *rapid.T
	slots     []int
	next      int
	constants int
	functions int // each of one parameter
}

func (g typed) inside(slot int) typed {
	g.slots = append(append([]int(nil), g.slots...), slot)
	g.next = slot + 1
	return g
}

func (g typed) number(depth int) abi.Expr {
	if depth == 0 {
		if len(g.slots) > 0 && rapid.Bool().Draw(g.t, "slot") {
			return slot(rapid.SampledFrom(g.slots).Draw(g.t, "which"))
		}
		return abi.Expr{Op: abi.ExprConst, Index: rapid.IntRange(0, g.constants-1).Draw(g.t, "constant")}
	}
	depth--
	switch rapid.IntRange(0, 8).Draw(g.t, "number") {
	case 0:
		return op(abi.ExprIf, g.truth(depth), g.number(depth), g.number(depth))
	case 1:
		e := op(abi.ExprLet, g.number(depth), g.inside(g.next).number(depth))
		e.Index = g.next
		return e
	case 2:
		list := op(abi.ExprList, g.number(depth), g.number(depth), g.number(depth))
		inner := g.inside(g.next)
		e := op(abi.ExprFold, list, inner.number(depth), inner.truth(depth))
		e.Index, e.Fold = g.next, abi.FoldSum
		return e
	case 3:
		if g.functions > 0 {
			return abi.Expr{Op: abi.ExprCall, Index: rapid.IntRange(0, g.functions-1).Draw(g.t, "function"), Args: []abi.Expr{g.number(depth)}}
		}
	case 4:
		return g.number(0)
	}
	o := rapid.SampledFrom([]abi.ExprOp{abi.ExprAdd, abi.ExprSub, abi.ExprMul, abi.ExprDiv}).Draw(g.t, "op")
	return op(o, g.number(depth), g.number(depth))
}

func (g typed) truth(depth int) abi.Expr {
	if depth > 0 && rapid.Bool().Draw(g.t, "connective") {
		o := rapid.SampledFrom([]abi.ExprOp{abi.ExprAnd, abi.ExprOr, abi.ExprNot}).Draw(g.t, "op")
		if o == abi.ExprNot {
			return op(o, g.truth(depth-1))
		}
		return op(o, g.truth(depth-1), g.truth(depth-1))
	}
	o := rapid.SampledFrom([]abi.ExprOp{abi.ExprEq, abi.ExprNe, abi.ExprLt, abi.ExprLe, abi.ExprGt, abi.ExprGe}).Draw(g.t, "op")
	return op(o, g.number(max(depth-1, 0)), g.number(max(depth-1, 0)))
}

func TestMachineAgreesWithTheOracle(t *testing.T) {
	const width = 16
	constants := []abi.Value{
		abi.IntValue(0), abi.IntValue(1), abi.IntValue(-3), abi.IntValue(abi.MaxInline), abi.IntValue(abi.MinInline), abi.IntValue(1 << 62),
		abi.RatValue(big.NewRat(1, 3)), abi.RatValue(big.NewRat(-7, 100)), abi.IntValue(2),
	}
	faults := 0
	rapid.Check(t, func(t *rapid.T) {
		o := &oracle{constants: constants}
		for i := range 2 {
			g := typed{t: t, slots: []int{0}, next: 1, constants: len(constants), functions: i}
			o.functions = append(o.functions, abi.Function{Params: make([]abi.Param, 1), Slots: make([]abi.Slot, width), Body: g.number(2)})
		}
		g := typed{t: t, slots: []int{0, 1}, next: 2, constants: len(constants), functions: 2}
		var e abi.Expr
		if rapid.Bool().Draw(t, "truth") {
			e = g.truth(3)
		} else {
			e = g.number(4)
		}
		table := term.New()
		m := New(table)
		if f := m.Load(constants, o.functions, nil); f != nil {
			t.Fatal(f)
		}
		c, f := m.Compile(&e, width)
		if f != nil {
			t.Fatal(f)
		}
		slots := newSlots(width)
		env := map[int]*big.Rat{}
		for i := range 2 {
			v := rapid.SampledFrom(constants).Draw(t, "slot")
			slots[i], env[i] = table.Intern(v), v.Number()
		}
		want, err := o.value(&e, env)
		got, ok, f := m.Eval(c, slots)
		if f != nil || ok != (err == nil) {
			t.Fatalf("ok %v, failure %v; the oracle says %v, %v", ok, f, want, err)
		}
		if err != nil {
			faults++
			return
		}
		wanted := abi.BoolTerm(want == true)
		if r, number := want.(*big.Rat); number {
			wanted = table.Rat(r)
		}
		if got != wanted {
			t.Fatalf("%v, the oracle says %v", table.Value(got), want)
		}
	})
	t.Logf("%d expressions failed", faults)
}
