package sandbox

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
	. "github.com/ox-mcp/ox-mcp/host/sandbox/wasmtest"
)

// TestSchedule holds the rewriter to docs/fuel.md.
func TestSchedule(t *testing.T) {
	const entry = 2
	exits := concat(
		Block(Empty),
		LocalGet(0), BrIf(0), // 2, and the drop below is skipped but paid
		I32Const(1), Op(Drop), // 2
		Op(End),
		Op(Nop),
	)
	for _, c := range []struct {
		what   string
		locals []byte
		code   []byte
		arg    uint64
		want   uint64
	}{
		{"nothing", nil, nil, 0, entry},
		{"straight line", nil, concat(I32Const(1), I32Const(2), Op(I32Add), Op(Drop)), 0, entry + 4},
		{"nop and blocks are free", nil, concat(Op(Nop), Block(Empty), Op(End)), 0, entry},
		{"eight locals", bytes.Repeat([]byte{I64}, 8), nil, 0, entry + 1},
		{"block that is left", nil, exits, 1, entry + 4},
		{"block that is not left", nil, exits, 0, entry + 4},
		{"arm taken", nil, concat(LocalGet(0), If(Empty), I32Const(1), Op(Drop), Op(End)), 1, entry + 2 + 2},
		{"arm not taken", nil, concat(LocalGet(0), If(Empty), I32Const(1), Op(Drop), Op(End)), 0, entry + 2},
		{"else arm", nil, concat(LocalGet(0), If(Empty), Op(Nop), Op(Else), I32Const(1), Op(Drop), Op(End)), 0, entry + 2 + 2},
		{"after an arm", nil, concat(LocalGet(0), If(Empty), Op(End), I32Const(1), Op(Drop)), 0, entry + 2 + 2},
		{"after a left block", nil, concat(Block(Empty), Br(0), Op(End), I32Const(1), Op(Drop)), 0, entry + 1 + 2},
		{"dead code", nil, concat(Op(Return), I32Const(1), Op(Drop)), 0, entry + 1},
		{"loop of 5 turns", nil, concat(Loop(Empty), LocalGet(0), I32Const(1), Op(I32Sub), LocalTee(0), BrIf(0), Op(End)), 5, entry + 5*(1+5)},
		{"after a loop", nil, concat(Loop(Empty), LocalGet(0), I32Const(1), Op(I32Sub), LocalTee(0), BrIf(0), Op(End), I32Const(1), Op(Drop)), 5, entry + 5*(1+5) + 2},
		{"loop that turns early", nil, concat(Loop(Empty), LocalGet(0), I32Const(1), Op(I32Sub), LocalSet(0), Block(Empty),
			LocalGet(0), I32Const(2), Op(I32LtU), BrIf(0), Br(1), Op(End), Op(Nop), Op(End)), 5, entry + 4*(1+4+5)},
		{"loop that is left in the middle", nil, concat(Block(Empty), Loop(Empty), LocalGet(0), I32Const(1), Op(I32Sub), LocalTee(0),
			Op(I32Eqz), BrIf(1), Br(0), Op(End), Op(End)), 5, entry + 5*(1+7)},
		{"loop with a result", nil, concat(Loop(I32), I32Const(7), Op(End), Op(Drop)), 0, entry + 1 + 1 + 1},
		{"loop that takes a value", nil, concat(I32Const(1), Loop(1), Op(Drop), Op(End)), 0, entry + 1 + 1 + 1},
		{"loop in a loop", nil, concat(Loop(Empty), Loop(Empty), I32Const(0), BrIf(0), Op(End),
			LocalGet(0), I32Const(1), Op(I32Sub), LocalTee(0), BrIf(0), Op(End)), 3, entry + 3*(1+5+1+2)},
		{"outer loop that an inner one turns", nil, concat(Loop(Empty), LocalGet(0), I32Const(1), Op(I32Sub), LocalSet(0), Loop(Empty),
			LocalGet(0), BrIf(1), Op(End), Op(End)), 3, entry + 3*(1+4+1+2)},
		{"loop with a switch", nil, concat(Loop(Empty), LocalGet(0), I32Const(1), Op(I32Sub), LocalTee(0), BrTable(1, 0), Op(End)), 1, entry + 2*(1+5)},
		{"memory.fill of 640 bytes", nil, concat(I32Const(0), I32Const(0), I32Const(640), Bulk(MemoryFill, 0)), 0, entry + 4 + 10},
		{"memory.copy of 128 bytes", nil, concat(I32Const(0), I32Const(0), I32Const(128), Bulk(MemoryCopy, 0, 0)), 0, entry + 4 + 2},
		{"table.fill of 16 elements", nil, concat(I32Const(0), []byte{0xD0, Funcref}, I32Const(16), Bulk(TableFill, 0)), 0, entry + 4 + 2},
		{"memory.grow by 2 pages", nil, concat(I32Const(2), MemoryGrow(), Op(Drop)), 0, entry + 3 + 2*1024},
		{"memory.grow above the format's maximum", nil, concat(I32Const(-1), MemoryGrow(), Op(Drop)), 0, entry + 3 + 65536*1024},
		{"call", nil, Call(0), 0, entry + 1 + entry},
		{"switch", nil, concat(Block(Empty), Block(Empty), LocalGet(0), BrTable(1, 0), Op(End), I32Const(1), Op(Drop), Op(End)), 0, entry + 2 + 2},
		{"switch past a part", nil, concat(Block(Empty), Block(Empty), LocalGet(0), BrTable(1, 0), Op(End), I32Const(1), Op(Drop), Op(End)), 1, entry + 2},
	} {
		t.Run(c.what, func(t *testing.T) {
			engines(t, func(t *testing.T, engine func(*Config)) {
				var m Builder
				m.Memory(1)
				m.Table(0, 16)
				m.Func(m.Type(nil, nil), nil)
				m.Export("f", KindFunc, m.Func(m.Type([]byte{I32}, nil), c.locals, c.code))
				in := instantiate(t, admit(t, newHost(t, engine), m.Bytes(), ""))
				_, u, err := in.raw(t.Context(), roomy(), "f", c.arg)
				must(t, err)
				if u.Fuel != c.want {
					t.Errorf("%d units, want %d", u.Fuel, c.want)
				}
			})
		})
	}
}

// TestDepthIsGivenBack runs each way out of a function that calls: were one
// not counted, the loop would run into the depth limit.
func TestDepthIsGivenBack(t *testing.T) {
	for _, c := range []struct {
		what string
		code []byte
	}{
		{"end", Call(0)},
		{"return", concat(Call(0), Op(Return))},
		{"return from inside", concat(Call(0), Block(Empty), Loop(Empty), Op(Return), Op(End), Op(End))},
		{"branch to the function", concat(Call(0), Block(Empty), Br(1), Op(End))},
		{"conditional branch to the function", concat(Call(0), I32Const(1), BrIf(0), Op(Unreachable))},
		{"branch to the function out of a loop", concat(Call(0), Loop(Empty), Block(Empty), Br(2), Op(End), Op(End))},
		{"return out of a loop in a loop", concat(Call(0), Loop(Empty), Loop(Empty), Block(Empty), Op(Return), Op(End), Op(End), Op(End))},
		{"table of branches to the function", concat(Call(0), Block(Empty), I32Const(0), BrTable(0, 1), Op(End), Op(Unreachable))},
	} {
		t.Run(c.what, func(t *testing.T) {
			var m Builder
			unit := m.Type(nil, nil)
			m.Func(unit, nil)
			f := m.Func(unit, nil, c.code)
			m.Export("f", KindFunc, m.Func(m.Type([]byte{I32}, nil), nil,
				Loop(Empty), Call(f), LocalGet(0), I32Const(1), Op(I32Sub), LocalTee(0), BrIf(0), Op(End)))
			in := instantiate(t, admit(t, newHost(t, nil), m.Bytes(), ""))
			limits := roomy()
			limits.Depth = 3
			_, _, err := in.raw(t.Context(), limits, "f", 100)
			must(t, err)
		})
	}
}

// exchange is one call of a history.
type exchange struct {
	export  string
	request []byte
}

// play runs a history on a fresh instance and writes down all that must be
// equal on every machine.
func play(t *testing.T, m *Module, history []exchange) string {
	t.Helper()
	in, err := m.Instantiate(t.Context(), roomy())
	must(t, err)
	log := fmt.Sprintf("start %+v\n", in.Started())
	for _, x := range history {
		answer, u, err := in.Call(t.Context(), x.export, x.request, roomy())
		must(t, err)
		log += fmt.Sprintf("%s %+v %x\n", x.export, u, answer)
	}
	log += fmt.Sprintf("memory %s", digest(slices.Clone(in.memory.bytes())))
	must(t, in.Close(t.Context()))
	return log
}

// sameEverywhere plays a history 20 times in the compiler and some times in
// the interpreter.
func sameEverywhere(t *testing.T, wasm []byte, world string, interpreted int, history []exchange) {
	t.Helper()
	compiler := admit(t, newHost(t, kept), wasm, world)
	want := play(t, compiler, history)
	for range 19 {
		if got := play(t, compiler, history); got != want {
			t.Fatalf("two runs differ:\n%s\n%s", want, got)
		}
	}
	interpreter := admit(t, newHost(t, func(c *Config) { kept(c); c.Interpreter = true }), wasm, world)
	if compiler.MeteredHash() != interpreter.MeteredHash() {
		t.Error("the metered module depends on the engine")
	}
	for range interpreted {
		if got := play(t, interpreter, history); got != want {
			t.Fatalf("the engines differ:\n%s\n%s", want, got)
		}
	}
}

func TestFuelIsTheSameInEveryRunAndEngine(t *testing.T) {
	sameEverywhere(t, hostile(), "", 20, []exchange{
		{"count", []byte{0}}, {"fill", nil}, {"grow", []byte{3}}, {"deep", []byte{100}}, {"log", []byte{3}}, {"count", []byte{0}},
	})
}

const joinerPackage = "../../plugins/joiner"

// joinHistory makes the joiner join two relations of n tuples each.
func joinHistory(n int) []exchange {
	call := abi.Call{Now: abi.Value{Kind: abi.KindInstant}, Limits: roomy()}
	slot := func(i int) abi.Arg { return abi.Arg{Op: abi.ArgSlot, Index: i} }
	pair := func(name string, role abi.Role) abi.Relation {
		typ := abi.Type{Op: abi.TypeInt}
		return abi.Relation{Name: name, Role: role, Columns: []abi.Column{{Name: "a", Type: typ}, {Name: "b", Type: typ}}}
	}
	load := abi.LoadRequest{Call: call, Program: abi.Program{
		ABI: abi.Version, Module: "m",
		Relations: []abi.Relation{pair("m::p", abi.Base), pair("m::q", abi.Base), pair("m::r", abi.Derived)},
		Rules: []abi.Rule{{
			Name: "r", Head: 2, Args: []abi.Arg{slot(0), slot(2)},
			Slots: []abi.Slot{{Name: "x"}, {Name: "y"}, {Name: "z"}},
			Body: []abi.Atom{
				{Op: abi.AtomScan, Rel: 0, Args: []abi.Arg{slot(0), slot(1)}},
				{Op: abi.AtomScan, Rel: 1, Args: []abi.Arg{slot(1), slot(2)}},
			},
		}},
		Components: []abi.Component{{Relations: []int{2}, Rules: []int{0}}},
	}}
	history := []exchange{{abi.ExportLoad, load.AppendCBOR(nil)}}
	for rel := range 2 {
		b := abi.FrameBuilder{Arity: 2}
		for i := range n {
			b.Add([]abi.Value{abi.IntValue(int64(i)), abi.IntValue(int64(i+rel) % 7)})
		}
		assert := abi.AssertRequest{Call: call, Deltas: []abi.Delta{{Relation: rel, Frame: b.Frame()}}}
		history = append(history, exchange{abi.ExportAssert, assert.AppendCBOR(nil)})
	}
	derive := abi.DeriveRequest{Call: call, Relation: 2}
	return append(history, exchange{abi.ExportDerive, derive.AppendCBOR(nil)})
}

func TestFuelOfAGoGuestIsTheSameInEveryRunAndEngine(t *testing.T) {
	sameEverywhere(t, goGuest(t, joinerPackage), abi.WorldReasoner, 2, joinHistory(300))
}

// TestMeteredLLVMGuestsComputeTheSame runs what the benchmark of metering runs,
// shorter: as it came, metered in both engines, and with each instruction
// charged by itself.
func TestMeteredLLVMGuestsComputeTheSame(t *testing.T) {
	h, interpreter := newHost(t, nil), newHost(t, func(c *Config) { c.Interpreter = true })
	for _, g := range llvmGuests() {
		t.Run(g.name, func(t *testing.T) {
			wasm := clang(t, g.source)
			want, _, err := unmetered(t, h, wasm).raw(t.Context(), roomy(), g.export, g.short...)
			must(t, err)
			_, each, err := instantiate(t, exact(t, h, wasm)).raw(t.Context(), roomy(), g.export, g.short...)
			must(t, err)
			var bills [2]uint64
			for i, engine := range []*Host{h, interpreter} {
				got, u, err := instantiate(t, admit(t, engine, wasm, "")).raw(t.Context(), roomy(), g.export, g.short...)
				must(t, err)
				if got[0] != want[0] {
					t.Errorf("%x metered, %x as it came", got[0], want[0])
				}
				bills[i] = u.Fuel
			}
			if bills[0] != bills[1] {
				t.Errorf("%d units in the compiler, %d in the interpreter", bills[0], bills[1])
			}
			ratio := float64(bills[0]) / float64(each.Fuel)
			t.Logf("charged %d units for %d: %.3f", bills[0], each.Fuel, ratio)
			if ratio < 1 || ratio > 1.4 {
				t.Errorf("the ratio is %.3f", ratio)
			}
		})
	}
}

// TestOverchargeIsSmall holds the segments to what docs/fuel.md says of them.
func TestOverchargeIsSmall(t *testing.T) {
	h := newHost(t, kept)
	wasm := goGuest(t, joinLoop)
	_, lazy, err := instantiate(t, admit(t, h, wasm, "")).raw(t.Context(), roomy(), "closure", 200, 400)
	must(t, err)
	_, each, err := instantiate(t, exact(t, h, wasm)).raw(t.Context(), roomy(), "closure", 200, 400)
	must(t, err)
	ratio := float64(lazy.Fuel) / float64(each.Fuel)
	t.Logf("charged %d units for %d: %.3f", lazy.Fuel, each.Fuel, ratio)
	if ratio < 1 || ratio > 1.1 {
		t.Errorf("the ratio is %.3f", ratio)
	}
}

func TestMeteredGuestComputesWhatTheGuestComputes(t *testing.T) {
	h := newHost(t, kept)
	for _, guest := range []struct {
		name string
		wasm func(testing.TB) []byte
	}{{"go", func(t testing.TB) []byte { return goGuest(t, joinLoop) }}, {"c", clangGuest}} {
		t.Run(guest.name, func(t *testing.T) {
			wasm := guest.wasm(t)
			plain, metered := unmetered(t, h, wasm), instantiate(t, admit(t, h, wasm, ""))
			// The figures are those of the program, in whatever language.
			for _, c := range []struct{ nodes, edges, want uint64 }{{10, 20, closureOf(10, 20)}, {100, 150, closureOf(100, 150)}, {300, 600, closureOf(300, 600)}} {
				for _, in := range []*Instance{plain, metered} {
					got, _, err := in.raw(t.Context(), roomy(), "closure", c.nodes, c.edges)
					must(t, err)
					if got[0] != c.want {
						t.Errorf("closure(%d, %d) is %x, metered: %v; want %x", c.nodes, c.edges, got[0], in == metered, c.want)
					}
				}
			}
		})
	}
}

// closureOf is what the join loops compute, done here the plain way.
func closureOf(nodes, edges uint64) uint64 {
	seed := uint64(1)
	random := func() uint64 {
		seed = seed*6364136223846793005 + 1442695040888963407
		return (seed >> 33) % nodes
	}
	to := map[uint64][]uint64{}
	var queue [][2]uint64
	for range edges {
		a := random()
		b := random()
		to[a] = append(to[a], b)
		queue = append(queue, [2]uint64{a, b})
	}
	seen := map[[2]uint64]bool{}
	sum := uint64(0)
	for len(queue) > 0 {
		p := queue[0]
		queue = queue[1:]
		if seen[p] {
			continue
		}
		seen[p] = true
		sum += (p[0]<<32 | p[1]) * 0xD6E8FEB86659FD93
		for _, c := range to[p[1]] {
			queue = append(queue, [2]uint64{p[0], c})
		}
	}
	return sum ^ uint64(len(seen))
}

// TestCopiesAreCharged holds the host's own charges to docs/fuel.md.
func TestCopiesAreCharged(t *testing.T) {
	h := newHost(t, nil)
	m := admit(t, h, attackWith(importLog, func(g *Guest) {
		// The request's first two words are the length of a log line and of
		// the answer.
		g.Exchange("f", nil,
			I32Const(1), I32Const(0), LocalGet(0), I32Load(0), Call(0),
			I32Const(16), LocalGet(0), I32Load(4), I32Store(8))
	}), "")
	cost := func(request, line, answer uint32) uint64 {
		t.Helper()
		b := make([]byte, request)
		copy(b, words(line, answer))
		_, u, err := instantiate(t, m).Call(t.Context(), "f", b, roomy())
		must(t, err)
		return u.Fuel
	}
	base := cost(8, 0, 0)
	for _, c := range []struct {
		what                  string
		request, line, answer uint32
		more                  uint64
	}{
		{"request", 8 + 800, 0, 0, 100},
		{"log line", 8, 800, 0, 100},
		{"answer", 8, 0, 800, 100},
		{"what is no eight bytes", 8 + 7, 7, 7, 0},
	} {
		if got := cost(c.request, c.line, c.answer) - base; got != c.more {
			t.Errorf("%s: %d units, want %d", c.what, got, c.more)
		}
	}
	limits := roomy()
	for _, c := range []struct{ request, answer uint32 }{{80_000, 0}, {8, 80_000}} {
		b := make([]byte, c.request)
		copy(b, words(0, c.answer))
		limits.Fuel = 5000
		_, u, err := instantiate(t, m).Call(t.Context(), "f", b, limits)
		if trap := trapped(t, err, OutOfFuel); trap.Export != "f" || u.Fuel != limits.Fuel {
			t.Errorf("%+v, bill %+v", trap, u)
		}
	}
}

// TestEveryInstructionCostsOne runs each instruction on numbers once.
func TestEveryInstructionCostsOne(t *testing.T) {
	const entry = 2
	h := newHost(t, func(c *Config) { c.Interpreter = true })
	for op := 0x45; op <= 0xC4; op++ {
		in, out := numericType(byte(op))
		var code []byte
		for _, typ := range in {
			code = append(code, one(typ)...)
		}
		code = append(code, byte(op), Drop)
		var m Builder
		m.Export("f", KindFunc, m.Func(m.Type(nil, nil), nil, code))
		instance := instantiate(t, admit(t, h, m.Bytes(), ""))
		_, u, err := instance.raw(t.Context(), roomy(), "f")
		must(t, err)
		if want := entry + uint64(len(in)) + 2; u.Fuel != want {
			t.Errorf("0x%02x from %x to %x: %d units, want %d", op, in, out, u.Fuel, want)
		}
	}
}

func one(typ byte) []byte {
	switch typ {
	case I32:
		return I32Const(1)
	case I64:
		return I64Const(1)
	case F32:
		return []byte{0x43, 0, 0, 0x80, 0x3F}
	}
	return []byte{0x44, 0, 0, 0, 0, 0, 0, 0xF0, 0x3F}
}

// numericType is the type of an instruction that takes and gives numbers.
func numericType(op byte) (in []byte, out byte) {
	two := func(t, r byte) ([]byte, byte) { return []byte{t, t}, r }
	switch {
	case op == 0x45:
		return []byte{I32}, I32
	case op <= 0x4F:
		return two(I32, I32)
	case op == 0x50:
		return []byte{I64}, I32
	case op <= 0x5A:
		return two(I64, I32)
	case op <= 0x60:
		return two(F32, I32)
	case op <= 0x66:
		return two(F64, I32)
	case op <= 0x69:
		return []byte{I32}, I32
	case op <= 0x78:
		return two(I32, I32)
	case op <= 0x7B:
		return []byte{I64}, I64
	case op <= 0x8A:
		return two(I64, I64)
	case op <= 0x91:
		return []byte{F32}, F32
	case op <= 0x98:
		return two(F32, F32)
	case op <= 0x9F:
		return []byte{F64}, F64
	case op <= 0xA6:
		return two(F64, F64)
	}
	return conversion(op)
}

// conversion is the type of 0xA7 (i32.wrap_i64) to 0xC4 (i64.extend32_s).
func conversion(op byte) (in []byte, out byte) {
	table := [...][2]byte{
		{I64, I32}, {F32, I32}, {F32, I32}, {F64, I32}, {F64, I32},
		{I32, I64}, {I32, I64}, {F32, I64}, {F32, I64}, {F64, I64}, {F64, I64},
		{I32, F32}, {I32, F32}, {I64, F32}, {I64, F32}, {F64, F32},
		{I32, F64}, {I32, F64}, {I64, F64}, {I64, F64}, {F32, F64},
		{F32, I32}, {F64, I64}, {I32, F32}, {I64, F64},
		{I32, I32}, {I32, I32}, {I64, I64}, {I64, I64}, {I64, I64},
	}
	return []byte{table[op-0xA7][0]}, table[op-0xA7][1]
}
