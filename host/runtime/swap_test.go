package runtime

import (
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/runtime/conformance"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
	"github.com/ox-mcp/ox-mcp/host/sandbox/wasmtest"
)

func TestTheEmbeddedReasonerConforms(t *testing.T) {
	s := newSwapService(t, nil)
	m, err := s.reasoner.admitted(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	suite, err := conformance.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	failures, err := Conform(t.Context(), suite, m)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range failures {
		t.Error(f)
	}
}

func TestASwapKeepsFactsAndAnswers(t *testing.T) {
	s := newSwapService(t, nil)
	before := rowsOf(t, s, "all_of")
	mutated(t, s, "open", `{}`)
	mutated(t, s, "add", `{"x": "b", "y": "a"}`)
	stamp := rowsOf(t, s, "all_of")
	res, err := s.Swap(t.Context(), PluginSource{Name: "twin", Wasm: twin(reasonerBytes(t), "twin")}, SwapOptions{})
	if err != nil || res.Outcome != SwapDone {
		t.Fatalf("%+v %v", res, err)
	}
	after := rowsOf(t, s, "all_of")
	if after.Total != stamp.Total || after.Total <= before.Total {
		t.Errorf("%d rows before the swap, %d after", stamp.Total, after.Total)
	}
	if after.Reasoner.Blake3 != res.To.Blake3 || stamp.Reasoner.Blake3 != res.From.Blake3 || res.To.Blake3 == res.From.Blake3 {
		t.Errorf("answers name %s and then %s", stamp.Reasoner.Blake3, after.Reasoner.Blake3)
	}
	mutated(t, s, "open", `{}`)
	if again := rowsOf(t, s, "all_of"); again.Total <= after.Total {
		t.Errorf("a write after the swap is not seen: %d rows, %d before it", again.Total, after.Total)
	}
	status, err := s.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if last := status.Plugins[0].LastSwap; last == nil || last.Outcome != SwapDone || last.At == "" {
		t.Errorf("the status says %+v", last)
	}
	same, err := s.Swap(t.Context(), PluginSource{Name: "twin", Wasm: twin(reasonerBytes(t), "twin")}, SwapOptions{})
	if err != nil || same.Outcome != SwapUnchanged {
		t.Errorf("%+v %v", same, err)
	}
}

func TestASwapBeforeAnythingIsServed(t *testing.T) {
	s := newSwapService(t, nil)
	res, err := s.Swap(t.Context(), PluginSource{Name: "twin", Wasm: twin(reasonerBytes(t), "twin")}, SwapOptions{})
	if err != nil || res.Outcome != SwapDone {
		t.Fatalf("%+v %v", res, err)
	}
	if rows := rowsOf(t, s, "all_of"); rows.Total != 3 || rows.Reasoner.Blake3 != res.To.Blake3 {
		t.Errorf("%d rows of %s", rows.Total, rows.Reasoner.Blake3)
	}
}

// describing is a module that answers nothing but describe, and traps there
// if d is nil.
func describing(d *abi.Description) PluginSource {
	var b wasmtest.Builder
	b.Memory(1)
	b.Export("memory", wasmtest.KindMemory, 0)
	body := wasmtest.Op(wasmtest.Unreachable)
	if d != nil {
		text := d.AppendCBOR(nil)
		area := binary.LittleEndian.AppendUint32(nil, 64)
		area = binary.LittleEndian.AppendUint32(area, uint32(len(text)))
		b.Data(16, area)
		b.Data(64, text)
		body = wasmtest.I32Const(16)
	}
	b.Export(abi.ExportDescribe, wasmtest.KindFunc, b.Func(b.Type(nil, []byte{wasmtest.I32}), nil, body))
	i := byte(wasmtest.I32)
	b.Export("cabi_realloc", wasmtest.KindFunc, b.Func(b.Type([]byte{i, i, i, i}, []byte{i}), nil, wasmtest.I32Const(1024)))
	return PluginSource{Name: "small", Wasm: b.Bytes()}
}

// bare is a module that is no reasoner.
func bare() []byte {
	var b wasmtest.Builder
	b.Memory(1)
	b.Export("memory", wasmtest.KindMemory, 0)
	return b.Bytes()
}

func TestABrokenBuildKeepsTheOldOne(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a guest")
	}
	s := newSwapService(t, func(c *Config) {
		resolved, problems := settingsWith(map[string]string{"dirtyPolicy": "auto_build", "limits.checkFuel": "400000000"})
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		c.Settings = resolved
	})
	mutated(t, s, "add", `{"x": "c", "y": "a"}`)
	mutated(t, s, "open", `{}`)
	want := rowsOf(t, s, "from_of")
	for _, c := range []struct {
		name   string
		source func() PluginSource
		stage  string
		says   string
	}{
		{"no file", func() PluginSource { return PluginSource{Name: "gone", Err: errors.New("there is no such file")} }, StageSource, "no such file"},
		{"no module", func() PluginSource { return PluginSource{Name: "text", Wasm: []byte("not a module")} }, StageAdmit, "not admitted"},
		{"no reasoner", func() PluginSource { return PluginSource{Name: "small", Wasm: bare()} }, StageAdmit, "missing_export"},
		{"cut off", func() PluginSource { w := reasonerBytes(t); return PluginSource{Name: "cut", Wasm: w[:len(w)/2]} }, StageAdmit, "not admitted"},
		{"another contract", func() PluginSource {
			return describing(&abi.Description{ABI: "9.9.9", World: abi.WorldReasoner, Name: "x", Version: "1"})
		}, StageDescribe, "9.9.9"},
		{"another world", func() PluginSource {
			return describing(&abi.Description{ABI: abi.Version, World: abi.WorldEvaluator, Name: "x", Version: "1"})
		}, StageDescribe, "check-evaluator"},
		{"no description", func() PluginSource { return describing(nil) }, StageDescribe, "describe"},
		{"it answers nothing but describe", func() PluginSource {
			return describing(&abi.Description{ABI: abi.Version, World: abi.WorldReasoner, Name: "x", Version: "1"})
		}, StageConformance, "vectors"},
		{"a wrong answer to a vector", func() PluginSource { return PluginSource{Name: "wrong", Wasm: modal(t, "wrong")} }, StageConformance, "vectors"},
		{"it traps at load", func() PluginSource { return PluginSource{Name: "crash", Wasm: modal(t, "crash")} }, StageLoad, "served program"},
		{"it does not take the log", func() PluginSource { return PluginSource{Name: "reply", Wasm: modal(t, "reply")} }, StageReplay, "recorded facts"},
		{"another answer", func() PluginSource { return PluginSource{Name: "scope", Wasm: modal(t, "scope")} }, StageCompare, "--accept-diff"},
		{"too slow", func() PluginSource { return PluginSource{Name: "slow", Wasm: modal(t, "slow_")} }, StageCompare, "out_of_fuel"},
	} {
		t.Run(c.name, func(t *testing.T) {
			res, err := s.Swap(t.Context(), c.source(), SwapOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if res.Outcome != SwapKept || res.Stage != c.stage || !strings.Contains(res.Message, c.says) {
				t.Errorf("%s at %q: %s", res.Outcome, res.Stage, res.Message)
			}
			got := rowsOf(t, s, "from_of")
			if got.Total != want.Total || got.Reasoner.Blake3 != want.Reasoner.Blake3 {
				t.Errorf("%d rows of %s, before %d of %s", got.Total, got.Reasoner.Blake3, want.Total, want.Reasoner.Blake3)
			}
			status, err := s.Status(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if last := status.Plugins[0].LastSwap; last == nil || last.Stage != c.stage {
				t.Errorf("the status says %+v", last)
			}
		})
	}
	t.Run("another answer, accepted", func(t *testing.T) {
		res, err := s.Swap(t.Context(), PluginSource{Name: "scope", Wasm: modal(t, "scope")}, SwapOptions{AcceptDiff: true})
		if err != nil || res.Outcome != SwapDone || len(res.Differences) == 0 {
			t.Errorf("%+v %v", res, err)
		}
	})
}

func TestASwapThatIsGivenUpLeavesTheOldBuild(t *testing.T) {
	s := newSwapService(t, nil)
	rowsOf(t, s, "all_of")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if res, err := s.Swap(ctx, PluginSource{Name: "twin", Wasm: twin(reasonerBytes(t), "cancelled")}, SwapOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%+v %v", res, err)
	}
	rowsOf(t, s, "all_of")
}

func TestSwapsLeaveNoMemoryBehind(t *testing.T) {
	var host *sandbox.Host
	s := newSwapService(t, func(c *Config) { host = c.Host })
	rowsOf(t, s, "all_of")
	builds := [][]byte{reasonerBytes(t), twin(reasonerBytes(t), "twin")}
	swap := func(i int) {
		if res, err := s.Swap(t.Context(), PluginSource{Name: "build", Wasm: builds[i]}, SwapOptions{}); err != nil || res.Outcome != SwapDone {
			t.Fatalf("%+v %v", res, err)
		}
		s.swaps.draining.Wait()
	}
	swap(1)
	first := host.Memory()
	swap(0)
	swap(1)
	if now := host.Memory(); now > first {
		t.Errorf("the instances hold %d bytes after three swaps, %d after one", now, first)
	}
}

func BenchmarkSwap(b *testing.B) {
	s := newSwapService(b, nil)
	rowsOf(b, s, "all_of")
	builds := [][]byte{twin(reasonerBytes(b), "one"), twin(reasonerBytes(b), "two")}
	for i := 0; b.Loop(); i++ {
		if res, err := s.Swap(b.Context(), PluginSource{Name: "twin", Wasm: builds[i%2]}, SwapOptions{}); err != nil || res.Outcome != SwapDone {
			b.Fatalf("%+v %v", res, err)
		}
	}
}

func BenchmarkConformance(b *testing.B) {
	s := newSwapService(b, nil)
	m, err := s.reasoner.admitted(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	suite, err := conformance.Load(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if failures, err := Conform(b.Context(), suite, m); err != nil || len(failures) > 0 {
			b.Fatal(failures, err)
		}
	}
}

func TestBuildsAreComparedTupleByTuple(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a guest")
	}
	s := newSwapService(t, nil)
	same, err := s.DiffBuilds(t.Context(), PluginSource{Name: "a", Wasm: reasonerBytes(t)}, PluginSource{Name: "b", Wasm: twin(reasonerBytes(t), "twin")})
	if err != nil {
		t.Fatal(err)
	}
	if !same.Equal || len(same.Differences) > 0 || same.TotalA != same.TotalB || same.TotalA.Fuel == 0 || same.A.Blake3 == same.B.Blake3 {
		t.Errorf("the same build twice: %+v", same)
	}
	kinds := map[string]int{}
	for _, w := range same.Work {
		kinds[w.Kind]++
	}
	if kinds["load"] != 1 || kinds[workExtent] == 0 || kinds[workQuery] != 1 || kinds[workCheck] == 0 {
		t.Errorf("the workload is %v", kinds)
	}
	res, err := s.DiffBuilds(t.Context(), PluginSource{Name: "a", Wasm: reasonerBytes(t)}, PluginSource{Name: "b", Wasm: modal(t, "scope")})
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, d := range res.Differences {
		if d.Kind == workExtent && strings.HasSuffix(d.Name, "::Stop") {
			found = d.OnlyA == 1 && d.OnlyB == 0 && len(d.Examples) == 1 && d.Examples[0] == "- (c)"
		}
	}
	if res.Equal || !found {
		t.Errorf("differences: %+v", res.Differences)
	}
	crash, err := s.DiffBuilds(t.Context(), PluginSource{Name: "a", Wasm: reasonerBytes(t)}, PluginSource{Name: "b", Wasm: modal(t, "crash")})
	if err != nil {
		t.Fatal(err)
	}
	if crash.Equal || len(crash.Differences) != 1 || crash.Differences[0].B == "" {
		t.Errorf("a build that does not load: %+v", crash.Differences)
	}
}

func TestDifferencesOfRows(t *testing.T) {
	m := &module{declared: map[string]string{}}
	frame := func(truth []abi.Truth4, rows ...[]abi.Value) abi.Frame {
		b := abi.FrameBuilder{Arity: 2}
		for _, r := range rows {
			b.Add(r)
		}
		f := b.Frame()
		f.Truth = truth
		return f
	}
	row := func(a, b int64) []abi.Value { return []abi.Value{abi.IntValue(a), abi.IntValue(b)} }
	limit := &abi.Failure{Code: abi.FailureLimit, Limit: &abi.Breach{Limit: abi.LimitRounds, Allowed: 5, Used: 6}}
	other := &abi.Failure{Code: abi.FailureLimit, Limit: &abi.Breach{Limit: abi.LimitRounds, Allowed: 5, Used: 9}}
	for _, c := range []struct {
		name               string
		a, b               answer
		onlyA, onlyB, also int
		equal              bool
	}{
		{name: "nothing", equal: true},
		{name: "equal in other pages", equal: true,
			a: answer{frames: []abi.Frame{frame(nil, row(1, 1), row(2, 1)), frame(nil, row(3, 1))}},
			b: answer{frames: []abi.Frame{frame(nil, row(1, 1)), frame(nil), frame(nil, row(2, 1), row(3, 1))}}},
		{name: "no truth values are Is", equal: true, a: answer{frames: []abi.Frame{frame([]abi.Truth4{abi.Is}, row(1, 1))}}, b: answer{frames: []abi.Frame{frame(nil, row(1, 1))}}},
		{name: "gone, new and other truth", onlyA: 1, onlyB: 2, also: 1,
			a: answer{frames: []abi.Frame{frame([]abi.Truth4{abi.Is, abi.Is}, row(1, 1), row(2, 1))}},
			b: answer{frames: []abi.Frame{frame([]abi.Truth4{abi.Is, abi.Both, abi.Is}, row(0, 9), row(2, 1), row(3, 1))}}},
		{name: "out of order", onlyA: 1, onlyB: 1,
			a: answer{frames: []abi.Frame{frame(nil, row(1, 1), row(2, 1))}},
			b: answer{frames: []abi.Frame{frame(nil, row(2, 1), row(1, 1))}}},
		{name: "both stopped alike", equal: true, a: answer{err: limit}, b: answer{err: other}},
		{name: "one stopped", a: answer{err: limit}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := m.differ(workItem{kind: workExtent, name: "R"}, &c.a, &c.b)
			if (d == nil) != c.equal {
				t.Fatalf("%+v", d)
			}
			if d != nil && (d.OnlyA != c.onlyA || d.OnlyB != c.onlyB || d.Truth != c.also) {
				t.Errorf("%+v", d)
			}
		})
	}
}
