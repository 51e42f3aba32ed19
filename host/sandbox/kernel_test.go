package sandbox

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox/rewrite"
	. "github.com/ox-mcp/ox-mcp/host/sandbox/wasmtest"
)

func importKernels(m *Builder) { importKernelsOf(abi.ImportKernel, m) }

func importKernelsOf(module string, m *Builder) {
	m.Import(module, loadKernelName, m.Type([]byte{I32, I32}, []byte{I32}))
	m.Import(module, callKernelName, m.Type([]byte{I32, I32, I32, I32}, []byte{I32}))
}

// countDown is code that counts local 0 down to 0.
func countDown() []byte {
	return concat(Block(Empty), Loop(Empty), LocalGet(0), Op(I32Eqz), BrIf(1),
		LocalGet(0), I32Const(1), Op(I32Sub), LocalSet(0), Br(0), Op(End), Op(End))
}

// kernelOwner is a guest that does with kernels what its requests say. Its
// answer is the status in four bytes.
func kernelOwner(pages uint32) []byte { return kernelOwnerOf(abi.ImportKernel, pages) }

// kernelOwnerOf imports them from the module that is named.
func kernelOwnerOf(module string, pages uint32) []byte {
	g := NewGuest(pages, func(m *Builder) { importKernelsOf(module, m) })
	g.Exchange("load", nil, I32Const(AnswerAt), LocalGet(0), LocalGet(1), Call(0), I32Store(0))
	g.Exchange("call", nil, I32Const(AnswerAt),
		LocalGet(0), I32Load(0), LocalGet(0), I32Load(4), LocalGet(0), I32Const(16), Op(I32Add), LocalGet(0), I32Load(8), Call(1), I32Store(0))
	g.Exchange("callAt", nil, I32Const(AnswerAt),
		LocalGet(0), I32Load(0), LocalGet(0), I32Load(4), LocalGet(0), I32Load(12), LocalGet(0), I32Load(8), Call(1), I32Store(0))
	g.Exchange("loadAt", nil, I32Const(AnswerAt), LocalGet(0), I32Load(0), LocalGet(0), I32Load(4), Call(0), I32Store(0))
	g.Exchange("grow", nil, I32Const(AnswerAt), I32Const(1), MemoryGrow(), I32Store(0))
	g.Exchange("count", nil, LocalGet(0), I32Load(0), LocalSet(0), countDown())
	return g.Bytes()
}

// importOwner makes a module a kernel: it has its owner's memory.
func importOwner(m *Builder) { m.RawImport(abi.ImportKernel, abi.KernelMemory, KindMemory, 0, 0) }

// The functions of sampleKernel, by number.
const (
	kernelPoke = iota // (address, value)
	kernelPeek        // (address) to value
	kernelGrow        // (pages) to pages
	kernelSize        // to pages
	kernelCount
	kernelSpin
	kernelRecurse
	kernelTrap
	kernelHalves // (f64) to (f64, f64)
	kernelLong   // (i64) to i64
	kernelCopy   // (to, from, size)
)

func sampleKernel() []byte {
	var m Builder
	importOwner(&m)
	add := func(name string, params, results []byte, code ...[]byte) {
		m.Export(name, KindFunc, m.Func(m.Type(params, results), nil, code...))
	}
	i, f := []byte{I32}, []byte{F64}
	half := []byte{0x44, 0, 0, 0, 0, 0, 0, 0xE0, 0x3F}
	const mul64 = 0xA2
	add("poke", []byte{I32, I32}, nil, LocalGet(0), LocalGet(1), I32Store(0))
	add("peek", i, i, LocalGet(0), I32Load(0))
	add("grow", i, i, LocalGet(0), MemoryGrow())
	add("size", nil, i, MemorySize())
	add("count", i, nil, countDown())
	add("spin", nil, nil, Loop(Empty), Br(0), Op(End))
	add("recurse", nil, nil, Call(m.Next()))
	add("trap", nil, nil, Op(Unreachable))
	add("halves", f, []byte{F64, F64}, LocalGet(0), half, Op(mul64), LocalGet(0), half, Op(mul64))
	add("long", []byte{I64}, []byte{I64}, LocalGet(0), I64Const(1), Op(I64Add))
	add("copy", []byte{I32, I32, I32}, nil, LocalGet(0), LocalGet(1), LocalGet(2), Bulk(MemoryCopy, 0, 0))
	m.FuncNames(FuncName{Index: kernelTrap, Name: "the_kernel"})
	return m.Bytes()
}

// numbered is a kernel unlike those of other numbers.
func numbered(n int) []byte {
	var m Builder
	importOwner(&m)
	m.Export("n", KindFunc, m.Func(m.Type(nil, []byte{I32}), nil, I32Const(int32(n))))
	return m.Bytes()
}

func statusOf(answer []byte) abi.KernelStatus {
	return abi.KernelStatus(binary.LittleEndian.Uint32(answer))
}

func loadInto(t testing.TB, in *Instance, wasm []byte) abi.KernelStatus {
	t.Helper()
	answer, _, err := in.Call(t.Context(), "load", wasm, roomy())
	must(t, err)
	return statusOf(answer)
}

// kernelRequest is a request of call.
func kernelRequest(handle, function int, values ...uint64) []byte {
	request := words(uint32(handle), uint32(function), uint32(len(values)), 0)
	for _, v := range values {
		request = binary.LittleEndian.AppendUint64(request, v)
	}
	return request
}

// callIn calls a function of the first kernel. The values become its results.
func callIn(t testing.TB, in *Instance, function int, values ...uint64) Usage {
	t.Helper()
	answer, usage, err := in.Call(t.Context(), "call", kernelRequest(0, function, values...), roomy())
	must(t, err)
	if s := statusOf(answer); s != abi.KernelOK {
		t.Fatalf("status %d", s)
	}
	for i := range values {
		values[i] = binary.LittleEndian.Uint64(in.memory.bytes()[RequestAt+16+8*i:])
	}
	return usage
}

func result(t testing.TB, in *Instance, function int, values ...uint64) uint64 {
	t.Helper()
	callIn(t, in, function, values...)
	return binary.LittleEndian.Uint64(in.memory.bytes()[RequestAt+16:])
}

// ownerWith is an instance with the sample kernel as its first.
func ownerWith(t testing.TB, h *Host) *Instance {
	t.Helper()
	in := instantiate(t, admit(t, h, kernelOwner(2), ""))
	if s := loadInto(t, in, sampleKernel()); s != 0 {
		t.Fatalf("status %d", s)
	}
	return in
}

func TestKernelWorksOnItsOwnersMemory(t *testing.T) {
	engines(t, func(t *testing.T, engine func(*Config)) {
		in := ownerWith(t, newHost(t, engine))
		callIn(t, in, kernelPoke, 0xFFFF_FFFF_0000_8000, 0xAAAA_AAAA_1234_5678)
		if got := binary.LittleEndian.Uint64(in.memory.bytes()[0x8000:]); got != 0x1234_5678 {
			t.Errorf("the owner reads %x", got)
		}
		if got := result(t, in, kernelPeek, 0x8000); got != 0x1234_5678 {
			t.Errorf("the kernel reads %x", got)
		}
		callIn(t, in, kernelCopy, 0x9000, 0x8000, 4)
		if got := result(t, in, kernelPeek, 0x9000); got != 0x1234_5678 {
			t.Errorf("copied %x", got)
		}
		values := []uint64{math.Float64bits(5), 0}
		callIn(t, in, kernelHalves, values...)
		if values[0] != math.Float64bits(2.5) || values[1] != values[0] {
			t.Errorf("halves %x", values)
		}
		if got := result(t, in, kernelLong, 1<<40); got != 1<<40+1 {
			t.Errorf("long %x", got)
		}
	})
}

// TestKernelSeesItsOwnerGrow: neither side keeps an old idea of the memory.
func TestKernelSeesItsOwnerGrow(t *testing.T) {
	engines(t, func(t *testing.T, engine func(*Config)) {
		in := ownerWith(t, newHost(t, engine))
		answer, _, err := in.Call(t.Context(), "grow", nil, roomy())
		must(t, err)
		if got := statusOf(answer); got != 2 {
			t.Fatalf("the owner grew from %d pages", got)
		}
		callIn(t, in, kernelPoke, 3*65536-4, 7)
		values := []uint64{1}
		callIn(t, in, kernelGrow, values...)
		if values[0] != 3 || in.memory.size != 4*65536 {
			t.Errorf("the kernel grew from %d pages, to %d bytes", values[0], in.memory.size)
		}
		callIn(t, in, kernelPoke, 4*65536-4, 7)
		answer, _, err = in.Call(t.Context(), "grow", nil, roomy())
		must(t, err)
		if got := statusOf(answer); got != 4 {
			t.Errorf("the owner then grew from %d pages", got)
		}
		values = []uint64{0}
		callIn(t, in, kernelPeek, values...)
		if got := in.memory.bytes(); got[3*65536-4] != 7 || got[4*65536-4] != 7 {
			t.Error("what was written before a growth is gone")
		}
	})
}

func TestCodeCostsInAKernelWhatItCostsInTheOwner(t *testing.T) {
	costs := map[string][]uint64{}
	engines(t, func(t *testing.T, engine func(*Config)) {
		in := ownerWith(t, newHost(t, engine))
		inOwner := func(turns uint32) uint64 {
			_, u, err := in.Call(t.Context(), "count", words(turns, 0, 0, 0, 0, 0), roomy())
			must(t, err)
			return u.Fuel
		}
		none, many := callIn(t, in, kernelCount, 0).Fuel, callIn(t, in, kernelCount, 3_000_000).Fuel
		if got, want := many-none, inOwner(3_000_000)-inOwner(0); got != want || want < 3_000_000 {
			t.Errorf("3,000,000 turns cost %d in the kernel, %d in its owner", got, want)
		}
		big := callIn(t, in, kernelCopy, 0x8000, 0x9000, 6400).Fuel - callIn(t, in, kernelCopy, 0x8000, 0x9000, 0).Fuel
		if big != 100 {
			t.Errorf("6,400 bytes copied cost %d", big)
		}
		_, u, err := in.Call(t.Context(), "load", numbered(1), roomy())
		must(t, err)
		costs[t.Name()] = []uint64{none, many, u.Fuel}
		if least := compileCost(uint64(len(numbered(1)))); u.Fuel < least || u.Calls != 1 {
			t.Errorf("the load cost %d and %d host calls, compiling alone is %d", u.Fuel, u.Calls, least)
		}
	})
	var first []uint64
	for name, c := range costs {
		if first == nil {
			first = c
		}
		for i := range c {
			if c[i] != first[i] {
				t.Errorf("%s: %v, another engine %v", name, c, first)
			}
		}
	}
	if len(costs) != 2 {
		t.Errorf("%d engines", len(costs))
	}
}

func TestKernelIsStoppedLikeAnyCode(t *testing.T) {
	engines(t, func(t *testing.T, engine func(*Config)) {
		h := newHost(t, engine)
		for _, c := range []struct {
			what     string
			function int
			kind     Kind
			limit    string
			set      func(*abi.Limits)
			values   []uint64
		}{
			{"fuel", kernelSpin, OutOfFuel, abi.LimitFuel, func(l *abi.Limits) { l.Fuel = 5_000_000 }, nil},
			{"depth", kernelRecurse, Depth, abi.LimitDepth, func(l *abi.Limits) { l.Depth = 100 }, nil},
			{"all the depth", kernelRecurse, Depth, abi.LimitDepth, func(*abi.Limits) {}, nil},
			{"deadline", kernelSpin, Deadline, abi.LimitDeadline, func(l *abi.Limits) { l.Deadline = 20 }, nil},
			{"cancelled", kernelSpin, Cancelled, "", func(*abi.Limits) {}, nil},
			{"trap", kernelTrap, Crash, "", func(*abi.Limits) {}, nil},
			{"outside the memory", kernelPeek, Crash, "", func(*abi.Limits) {}, []uint64{1 << 31}},
			{"bulk of fuel", kernelCopy, OutOfFuel, abi.LimitFuel, func(l *abi.Limits) { l.Fuel = 10_000 }, []uint64{0, 0, 0xFFFF_FFFF}},
		} {
			t.Run(c.what, func(t *testing.T) {
				in := ownerWith(t, h)
				limits := roomy()
				c.set(&limits)
				ctx := t.Context()
				if c.kind == Cancelled {
					var stop context.CancelFunc
					ctx, stop = context.WithTimeout(ctx, 20*time.Millisecond)
					defer stop()
				}
				_, u, err := in.Call(ctx, "call", kernelRequest(0, c.function, c.values...), limits)
				trap := trapped(t, err, c.kind)
				if trap.Limit.Limit != c.limit || trap.Export != "call" || u.Fuel > limits.Fuel {
					t.Errorf("%v, %d units of %d", trap, u.Fuel, limits.Fuel)
				}
				if c.what == "trap" && !strings.Contains(trap.Stack, "the_kernel") {
					t.Errorf("the kernel is not on the stack:\n%s", trap.Stack)
				}
				if _, _, again := in.Call(t.Context(), "grow", nil, roomy()); again != err {
					t.Errorf("the owner lives on: %v", again)
				}
				callIn(t, ownerWith(t, h), kernelCount, 3)
			})
		}
	})
}

// TestKernelsSpendTheOwnersFrames: the frames of both count together.
func TestKernelsSpendTheOwnersFrames(t *testing.T) {
	g := NewGuest(2, importKernels)
	g.Exchange("load", nil, I32Const(AnswerAt), LocalGet(0), LocalGet(1), Call(0), I32Store(0))
	deep := g.Next()
	g.Func(g.Type([]byte{I32}, nil), nil, LocalGet(0), If(Empty), LocalGet(0), I32Const(1), Op(I32Sub), Call(deep),
		Op(Else), I32Const(0), I32Const(0), I32Const(RequestAt), I32Const(1), Call(1), Op(Drop), Op(End))
	g.Exchange("go", nil, LocalGet(0), I32Load(8), Call(deep))
	var m Builder
	self := m.Next()
	m.Export("down", KindFunc, m.Func(m.Type([]byte{I32}, nil), nil, LocalGet(0), If(Empty), LocalGet(0), I32Const(1), Op(I32Sub), Call(self), Op(End)))
	engines(t, func(t *testing.T, engine func(*Config)) {
		h := newHost(t, engine)
		module := admit(t, h, g.Bytes(), "")
		for _, c := range []struct {
			inOwner, inKernel uint32
			stopped           bool
		}{{900, 900, false}, {1500, 600, true}, {600, 1500, true}, {1890, 0, false}} {
			in := instantiate(t, module)
			if s := loadInto(t, in, m.Bytes()); s != 0 {
				t.Fatalf("status %d", s)
			}
			_, _, err := in.Call(t.Context(), "go", words(c.inKernel, 0, c.inOwner), roomy())
			if c.stopped {
				trapped(t, err, Depth)
			} else {
				must(t, err)
			}
		}
	})
}

func TestKernelCallsAreCounted(t *testing.T) {
	h := newHost(t, nil)
	for _, c := range []struct {
		what  string
		limit string
		set   func(*abi.Limits)
	}{
		{"calls", abi.LimitHostCalls, func(l *abi.Limits) { l.HostCalls = 0 }},
		{"bytes of values", abi.LimitHostBytes, func(l *abi.Limits) { l.HostBytes = 15 }},
	} {
		limits := roomy()
		c.set(&limits)
		_, _, err := ownerWith(t, h).Call(t.Context(), "call", kernelRequest(0, kernelPoke, 0x8000, 0), limits)
		if trap := trapped(t, err, HostCalls); trap.Limit.Limit != c.limit {
			t.Errorf("%s: %v", c.what, trap)
		}
	}
	limits := roomy()
	limits.HostBytes = uint64(len(numbered(1)) - 1)
	_, _, err := ownerWith(t, h).Call(t.Context(), "load", numbered(1), limits)
	trapped(t, err, HostCalls)
	limits = roomy()
	limits.Fuel = compileCost(uint64(len(numbered(1))))
	_, _, err = ownerWith(t, h).Call(t.Context(), "load", numbered(1), limits)
	trapped(t, err, OutOfFuel)
}

func TestBadAddressesOfKernelsStopTheGuest(t *testing.T) {
	h := newHost(t, nil)
	for _, c := range []struct {
		what, export string
		request      []byte
	}{
		{"a kernel beyond the memory", "loadAt", words(2*65536-7, 8)},
		{"a kernel past the last address", "loadAt", words(1<<32-8, 16)},
		{"values beyond the memory", "callAt", words(0, kernelPeek, 1, 2*65536-7)},
		{"values past the last address", "callAt", words(0, kernelPeek, 1, 1<<32-1)},
	} {
		_, _, err := ownerWith(t, h).Call(t.Context(), c.export, c.request, roomy())
		if trap := trapped(t, err, BadOutput); !strings.Contains(trap.Detail, "outside the memory") {
			t.Errorf("%s: %v", c.what, trap)
		}
	}
	var m Builder
	importKernels(&m)
	m.Memory(1)
	m.Export("go", KindFunc, m.Func(m.Type(nil, nil), nil, I32Const(0), I32Const(8), Call(0), Op(Drop)))
	_, _, err := instantiate(t, admit(t, h, m.Bytes(), "")).raw(t.Context(), roomy(), "go")
	trapped(t, err, BadOutput)
}

func TestKernelCallsThatFitNothingAreAnswered(t *testing.T) {
	in := ownerWith(t, newHost(t, nil))
	for _, c := range []struct {
		handle, function int
		values           []uint64
		want             abi.KernelStatus
	}{
		{1, 0, nil, abi.KernelUnknown},
		{-1, 0, nil, abi.KernelUnknown},
		{0, kernelCopy + 1, nil, abi.KernelFunction},
		{0, -1, nil, abi.KernelFunction},
		{0, kernelPeek, nil, abi.KernelCount},
		{0, kernelPeek, []uint64{0, 0}, abi.KernelCount},
		{0, kernelHalves, []uint64{0}, abi.KernelCount},
		{0, kernelPeek, []uint64{0}, abi.KernelOK},
	} {
		answer, _, err := in.Call(t.Context(), "call", kernelRequest(c.handle, c.function, c.values...), roomy())
		must(t, err)
		if got := statusOf(answer); got != c.want {
			t.Errorf("kernel %d, function %d, %d values: %d, want %d", c.handle, c.function, len(c.values), got, c.want)
		}
	}
}

func TestKernelsNeedTheirGrant(t *testing.T) {
	h := newHost(t, nil)
	for _, c := range []struct {
		what    string
		world   string
		granted []string
		taken   bool
	}{
		{"no grant", "", nil, false},
		{"another grant", "", []string{abi.GrantFacts, abi.GrantLog}, false},
		{"the grant", "", []string{abi.GrantKernel}, true},
		{"a check evaluator with the grant", abi.WorldEvaluator, []string{abi.GrantKernel}, false},
	} {
		m, err := h.Admit(t.Context(), c.what, kernelOwner(2), AdmitOptions{World: c.world, Grants: c.granted, Limits: roomy()})
		var refused *AdmissionError
		switch {
		case c.taken:
			must(t, err)
			must(t, m.Close(t.Context()))
		case !errors.As(err, &refused) || refused.Code != rewrite.CodeImport:
			t.Errorf("%s: %v", c.what, err)
		}
	}
	i, err := h.Inspect(t.Context(), "owner", kernelOwner(2), roomy())
	must(t, err)
	if strings.Join(i.Imports, ",") != abi.GrantKernel {
		t.Errorf("inspect says that it needs %v", i.Imports)
	}
}

// FuzzKernel gives an owner any bytes as a kernel: they are refused with a
// status, or every function of it runs to some end, for the same fuel in both
// engines.
func FuzzKernel(f *testing.F) {
	f.Add([]byte{})
	f.Add(sampleKernel())
	f.Add(numbered(7))
	f.Add(kernelLike(func(m *Builder) {
		m.Func(m.Type(nil, []byte{F64}), []byte{I64}, LocalGet(0), Op(Drop), Op(Unreachable))
	}))
	var owners [2]*Module
	for i := range owners {
		h, err := New(context.Background(), Config{TotalMemory: 64 * mib, Now: time.Now, Interpreter: i == 1})
		if err != nil {
			f.Fatal(err)
		}
		owners[i] = admit(f, h, kernelOwner(2), "")
	}
	limits := tight()
	limits.Fuel, limits.HostBytes = 1<<32, 2*abi.MaxKernelBytes
	short := tight()
	short.Fuel = 1_000_000
	f.Fuzz(func(t *testing.T, wasm []byte) {
		if len(wasm) > 65536 {
			return // no room in the owner
		}
		var bills [2][]string
		for i, m := range owners {
			in, err := m.Instantiate(t.Context(), limits)
			must(t, err)
			answer, u, err := in.Call(t.Context(), "load", wasm, limits)
			must(t, err)
			bills[i] = append(bills[i], fmt.Sprintln(statusOf(answer), u.Fuel))
			for n := range in.kernels.list {
				for number, function := range in.kernels.list[n].code.functions {
					c, err := in.Clone(t.Context())
					must(t, err)
					values := make([]uint64, max(len(function.params), len(function.results)))
					_, u, err := c.Call(t.Context(), "call", kernelRequest(n, number, values...), short)
					bills[i] = append(bills[i], fmt.Sprintln(function.name, u.Fuel, err != nil))
					must(t, c.Close(t.Context()))
				}
			}
			must(t, in.Close(t.Context()))
		}
		if !slices.Equal(bills[0], bills[1]) {
			t.Errorf("%q in the compiler, %q in the interpreter", bills[0], bills[1])
		}
	})
}
