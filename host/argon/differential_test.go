package argon_test

import (
	"cmp"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
	"github.com/ox-mcp/ox-mcp/plugins/reasoner/engine"
)

// TestRandomConditions compares what the compiler and the reasoner make of
// random conditions over fields that may have no value with what a naive
// evaluator of the same conditions says.
func TestRandomConditions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		g := &conditions{t: t}
		source := w.source()
		type rule struct {
			name string
			b    *boolean
			e    *number
		}
		var rules []rule
		add := func(b *boolean, e *number, format string, args ...any) {
			name := fmt.Sprint("r", len(rules))
			rules = append(rules, rule{name, b, e})
			source += fmt.Sprintf("pub %s;\n", strings.ReplaceAll(fmt.Sprintf(format, args...), "NAME", name))
		}
		for range 3 {
			b := g.boolean(3)
			add(b, nil, "derive NAME(x) :- x: C, %s", b)
			add(b, nil, "derive NAME(x) :- x: C, not (%s)", b)
			add(b, nil, "derive NAME(x, k) :- x: C, k = (%s)", b)
			add(b, nil, "fn NAME(x: C) -> Bool = (%s)", b)
			e := g.number(2)
			add(b, e, "derive NAME(x, k) :- x: C, k = %s, %s", e, b)
			add(nil, e, "fn NAME(x: C) -> Real = %s + 0", e)
			add(b, e, "derive NAME(k) :- k = sum(%s for x in C where %s)", e, b)
			add(b, nil, "derive NAME(k) :- k = count { x: C, %s }", b)
			add(b, e, "derive NAME(k) :- k = max(%s for x in C where %s)", e, b)
		}
		m := compiled(t, source)
		e := loaded(t, m)
		for i, r := range rules {
			got, want := "", ""
			switch i % 9 {
			case 0, 1:
				for x := range w {
					if w.holds(r.b, x) == (i%9 == 0) {
						want += fmt.Sprintf(" (c%d)", x)
					}
				}
			case 2:
				for x := range w {
					if v, ok := w.truth(r.b, x); ok {
						want += fmt.Sprintf(" (c%d, %t)", x, v)
					}
				}
			case 3, 5:
				for x := range w {
					value := "error"
					if r.e != nil {
						if v, ok := w.value(r.e, x); ok {
							value = rational(v)
						}
					} else if v, ok := w.truth(r.b, x); ok {
						value = fmt.Sprint(v)
					}
					want += " " + value
					got += " " + computed(t, m, e, "root::"+r.name, fmt.Sprint("root::c", x))
				}
			case 4:
				for x := range w {
					if v, ok := w.value(r.e, x); ok && w.holds(r.b, x) {
						want += fmt.Sprintf(" (c%d, %s)", x, rational(v))
					}
				}
			default:
				sum, best, n, failed := new(big.Rat), (*big.Rat)(nil), 0, false
				for x := range w {
					if !w.holds(r.b, x) {
						continue
					}
					if r.e == nil {
						n++
						continue
					}
					v, ok := w.value(r.e, x)
					switch {
					case !w.certain(r.e, x): // no solution of the fold's body
					case !ok:
						failed = true
					default:
						sum.Add(sum, v)
						if best == nil || best.Cmp(v) < 0 {
							best = v
						}
					}
				}
				switch {
				case failed:
				case i%9 == 6:
					want = " (" + rational(sum) + ")"
				case i%9 == 7:
					want = fmt.Sprintf(" (%d)", n)
				case best != nil:
					want = " (" + rational(best) + ")"
				}
			}
			if i%9 != 3 && i%9 != 5 {
				got = extent(t, m, e, "root::"+r.name)
			}
			if got != want {
				t.Fatalf("%s gives%s, want%s\n%s", r.name, got, want, source)
			}
		}
	})
}

func computed(t rapid.TB, m *lower.Module, e *engine.Engine, fn, arg string) string {
	t.Helper()
	for i := range m.Program.Functions {
		if m.Program.Functions[i].Name != fn {
			continue
		}
		out, f := e.Compute(&abi.ComputeRequest{Call: call, Function: i, Args: []abi.Value{abi.NamedValue(arg)}})
		switch {
		case f == nil:
			return lower.ValueText(out.Value)
		case f.Code == abi.FailureEval:
			return "error"
		}
		t.Fatal(fn, f)
	}
	t.Fatal("no function ", fn)
	return ""
}

func rational(v *big.Rat) string { return lower.ValueText(abi.RatValue(v)) }

// thing is an individual: -1 in to means that the field has no value.
type thing struct {
	n, m *int64
	to   int
	r    []int64
}

type world []thing

func drawWorld(t *rapid.T) world {
	w := make(world, rapid.IntRange(1, 4).Draw(t, "things"))
	number := rapid.Int64Range(-1, 3)
	optional := func(label string) *int64 {
		if rapid.IntRange(0, 2).Draw(t, label) == 0 {
			return nil
		}
		v := number.Draw(t, label)
		return &v
	}
	for i := range w {
		w[i] = thing{optional("n"), optional("m"), rapid.IntRange(-1, len(w)-1).Draw(t, "to"), rapid.SliceOfNDistinct(number, 0, 2, rapid.ID).Draw(t, "r")}
	}
	return w
}

func (w world) source() string {
	s := "pub type C { mut n: Int?, mut m: Int?, mut to: C? }\npub rel R(c: C, v: Int);\n"
	for i, x := range w {
		var fields []string
		for _, f := range []struct {
			name string
			v    *int64
		}{{"n", x.n}, {"m", x.m}} {
			if f.v != nil {
				fields = append(fields, fmt.Sprintf("%s: %d", f.name, *f.v))
			}
		}
		if x.to >= 0 {
			fields = append(fields, fmt.Sprint("to: c", x.to))
		}
		s += fmt.Sprintf("pub fact C(c%d) { %s };\n", i, strings.Join(fields, ", "))
		for _, v := range x.r {
			s += fmt.Sprintf("pub fact R(c%d, %d);\n", i, v)
		}
	}
	return s
}

// path is a field: of x, or of x.to.
type path struct {
	far  bool
	name string
}

func (p path) String() string {
	if p.far {
		return "x.to." + p.name
	}
	return "x." + p.name
}

// number is an expression of a number: op is one of const, field, or, + * /
// or if.
type number struct {
	op   string
	n    int64
	f    path
	a, b *number
	c    *boolean
}

func (e *number) String() string {
	switch e.op {
	case "const":
		return fmt.Sprint("(", e.n, ")")
	case "field":
		return e.f.String()
	case "or":
		return fmt.Sprintf("(%s.or(%s) + 0)", e.f, e.a)
	case "if":
		return fmt.Sprintf("((if %s { %s } else { %s }) + 0)", e.c, e.a, e.b)
	}
	return fmt.Sprintf("(%s %s %s)", e.a, e.op, e.b)
}

// boolean is a condition: op is a comparison of numbers, &&, ||, !, none,
// some or in.
type boolean struct {
	op   string
	a, b *number
	f    path
	x, y *boolean
}

func (b *boolean) String() string {
	switch b.op {
	case "&&", "||":
		return fmt.Sprintf("(%s %s %s)", b.x, b.op, b.y)
	case "!":
		return fmt.Sprintf("!(%s)", b.x)
	case "none":
		return fmt.Sprintf("%s == None", b.f)
	case "some":
		return fmt.Sprintf("%s.is_some", b.f)
	case "in":
		return fmt.Sprintf("%s in [0, 2]", b.a)
	}
	return fmt.Sprintf("%s %s %s", b.a, b.op, b.b)
}

// conditions draws expressions.
type conditions struct{ t *rapid.T }

func (g *conditions) pick(label string, of ...string) string {
	return rapid.SampledFrom(of).Draw(g.t, label)
}

func (g *conditions) path() path {
	return path{rapid.IntRange(0, 2).Draw(g.t, "far") == 0, g.pick("field", "n", "m")}
}

func (g *conditions) number(depth int) *number {
	e := &number{op: g.pick("number", "const", "field", "field", "field", "or", "+", "*", "/", "if")}
	if depth == 0 {
		e.op = g.pick("leaf", "const", "field", "or")
	}
	e.f = g.path()
	switch e.op {
	case "const":
		e.n = rapid.Int64Range(-1, 3).Draw(g.t, "constant")
	case "or":
		e.a = g.number(0)
	case "if":
		e.c, e.a, e.b = g.boolean(1), g.number(depth-1), g.number(depth-1)
	case "+", "*", "/":
		e.a, e.b = g.number(depth-1), g.number(depth-1)
	}
	return e
}

func (g *conditions) boolean(depth int) *boolean {
	comparisons := []string{"<", "<=", ">", ">=", "==", "!="}
	b := &boolean{op: g.pick("condition", append(comparisons, "&&", "||", "||", "||", "!", "!", "none", "some", "in")...)}
	if depth == 0 {
		b.op = g.pick("atom", append(comparisons, "none", "some")...)
	}
	b.f = g.path()
	switch b.op {
	case "&&", "||":
		b.x, b.y = g.boolean(depth-1), g.boolean(depth-1)
	case "!":
		b.x = g.boolean(depth - 1)
	case "none", "some":
	case "in":
		b.a = g.number(1)
	default:
		b.a, b.b = g.number(1), g.number(min(1, depth))
	}
	return b
}

// field returns the value of a field and whether what it is a field of is
// there.
func (w world) field(p path, x int) (v *int64, there bool) {
	if p.far {
		if x = w[x].to; x < 0 {
			return nil, false
		}
	}
	if p.name == "n" {
		return w[x].n, true
	}
	return w[x].m, true
}

// value evaluates e for x; ok is false where it fails.
func (w world) value(e *number, x int) (v *big.Rat, ok bool) {
	switch e.op {
	case "const":
		return big.NewRat(e.n, 1), true
	case "field", "or":
		n, there := w.field(e.f, x)
		switch {
		case !there:
			return nil, false
		case n != nil:
			return big.NewRat(*n, 1), true
		case e.op == "or":
			return w.value(e.a, x)
		}
		return nil, false
	case "if":
		c, ok := w.truth(e.c, x)
		if !ok {
			return nil, false
		}
		if c {
			return w.value(e.a, x)
		}
		return w.value(e.b, x)
	}
	a, ok := w.value(e.a, x)
	b, also := w.value(e.b, x)
	if !ok || !also || e.op == "/" && b.Sign() == 0 {
		return nil, false
	}
	switch e.op {
	case "+":
		return new(big.Rat).Add(a, b), true
	case "*":
		return new(big.Rat).Mul(a, b), true
	}
	return new(big.Rat).Quo(a, b), true
}

// certain reports whether every field has a value that e reads whatever else
// it reads. In a fold such a read is an atom of the body: without the value
// there is no solution. Where e fails in another way, the fold fails.
func (w world) certain(e *number, x int) bool {
	switch e.op {
	case "const":
		return true
	case "field", "or":
		n, there := w.field(e.f, x)
		return there && (n != nil || e.op == "or")
	case "if":
		return w.certainly(e.c, x)
	}
	return w.certain(e.a, x) && w.certain(e.b, x)
}

func (w world) certainly(b *boolean, x int) bool {
	switch b.op {
	case "&&", "||", "!":
		return w.certainly(b.x, x)
	case "none", "some":
		_, there := w.field(b.f, x)
		return there
	case "in":
		return w.certain(b.a, x)
	}
	return w.certain(b.a, x) && w.certain(b.b, x)
}

// truth evaluates b as a value: a part of it that fails makes it fail.
func (w world) truth(b *boolean, x int) (v, ok bool) {
	switch b.op {
	case "&&", "||":
		v, ok = w.truth(b.x, x)
		if !ok || v == (b.op == "||") {
			return v, ok
		}
		return w.truth(b.y, x)
	case "!":
		v, ok = w.truth(b.x, x)
		return !v, ok
	}
	return w.atom(b, x)
}

// holds evaluates b as a condition of a body: a part of it that fails is one
// that does not hold.
func (w world) holds(b *boolean, x int) bool {
	switch b.op {
	case "&&":
		return w.holds(b.x, x) && w.holds(b.y, x)
	case "||":
		return w.holds(b.x, x) || w.holds(b.y, x)
	case "!":
		return !w.holds(b.x, x)
	}
	v, ok := w.atom(b, x)
	return v && ok
}

func (w world) atom(b *boolean, x int) (v, ok bool) {
	switch b.op {
	case "none", "some":
		n, there := w.field(b.f, x)
		return there && (n == nil) == (b.op == "none"), there
	case "in":
		n, ok := w.value(b.a, x)
		return ok && (n.Cmp(new(big.Rat)) == 0 || n.Cmp(big.NewRat(2, 1)) == 0), ok
	}
	p, ok := w.value(b.a, x)
	q, also := w.value(b.b, x)
	if !ok || !also {
		return false, false
	}
	c := cmp.Compare(p.Cmp(q), 0)
	switch b.op {
	case "<":
		return c < 0, true
	case "<=":
		return c <= 0, true
	case ">":
		return c > 0, true
	case ">=":
		return c >= 0, true
	case "==":
		return c == 0, true
	}
	return c != 0, true
}
