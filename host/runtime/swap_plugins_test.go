package runtime

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/runtime/conformance"
	"github.com/ox-mcp/ox-mcp/host/sandbox/wasmtest"
	"github.com/ox-mcp/ox-mcp/host/settings"
	"github.com/ox-mcp/ox-mcp/host/store"
)

const judgedSource = `use std::core::Severity;
use std::core::Diagnostic;
pub type P { size: Int }
pub fact P(a) { size: 1 };
pub fact P(b) { size: 2 };
#[evaluator(judge)]
pub check odd(p: P) :- p: P, p.size > 0
  => Diagnostic { severity: Severity::Warning, code: "ODD", message: "{p.size}" };
pub query all_of() -> P;
`

// judge is a check evaluator with the same verdicts on every two violations.
func judge(name string, verdicts ...abi.Verdict) []byte {
	p := newPuppet()
	two := []byte{wasmtest.I32, wasmtest.I32}
	p.says(abi.ExportEvaluatorDescribe, nil, &abi.Description{ABI: abi.Version, World: abi.WorldEvaluator, Name: name, Version: "1"})
	p.says(abi.ExportEvaluate, two, &abi.EvaluateResponse{Verdicts: verdicts})
	return p.Bytes()
}

func lenient(name string) []byte {
	return judge(name, abi.Verdict{Drop: true}, abi.Verdict{Drop: true})
}

func strict(name string) []byte {
	v := abi.Verdict{Severity: abi.SeverityWarning, Code: "ODD", Message: "it is odd"}
	return judge(name, v, abi.Verdict{Drop: true})
}

// judged is a service whose check asks the plugin judge.
type judged struct {
	*Service
	t   *testing.T
	dir string
}

// table declares a file with these bytes.
func (j *judged) table(wasm []byte) PluginTable {
	j.t.Helper()
	file := filepath.Join(j.dir, PinOf(wasm)+".wasm")
	must(j.t, os.WriteFile(file, wasm, 0o600))
	return PluginTable{Name: "judge", Kind: KindEvaluator, Path: file, Blake3: PinOf(wasm), Layer: settings.LayerUser, File: "config.toml"}
}

func newJudged(t *testing.T, first []byte) *judged {
	t.Helper()
	j := &judged{t: t, dir: t.TempDir()}
	j.Service = newSmallService(t, PluginSource{Name: "reasoner", Wasm: reasonerBytes(t)}, func(c *Config) {
		must(t, os.WriteFile(filepath.Join(c.Project.Root, "root.ar"), []byte(judgedSource), 0o600))
		c.Log = store.NewMemory()
		c.Plugins = []PluginTable{j.table(first)}
	})
	j.swaps.suite = &conformance.Suite{}
	return j
}

func (j *judged) violations() int {
	j.t.Helper()
	res, err := j.Checks(context.Background(), ChecksRequest{})
	if err != nil || res.Refused() {
		j.t.Fatalf("%v %+v", err, res)
	}
	return res.Total
}

// swapped puts other tables in place and wants one outcome.
func (j *judged) swapped(outcome, stage, says string, tables ...PluginTable) PluginSwap {
	j.t.Helper()
	out, err := j.SwapPlugins(context.Background(), PluginSet{Tables: tables})
	if err != nil || len(out) != 1 || out[0].Outcome != outcome || out[0].Stage != stage || !strings.Contains(out[0].Message, says) {
		j.t.Fatalf("%v %+v, expected %s %s %q", err, out, outcome, stage, says)
	}
	return out[0]
}

func (j *judged) state() PluginStatus {
	j.t.Helper()
	for _, p := range j.PluginStats() {
		if p.Plugin == "judge" {
			return p
		}
	}
	return PluginStatus{}
}

func TestAnEvaluatorIsSwappedWhileServing(t *testing.T) {
	first := lenient("first")
	j := newJudged(t, first)
	if n := j.violations(); n != 0 {
		t.Fatalf("%d violations", n)
	}
	second := j.table(lenient("second"))
	j.swapped(SwapDone, "", "1 equal answer", second)
	if j.violations(); j.state().Name != "second" || j.state().LastSwap.Outcome != SwapDone {
		t.Errorf("the state is %+v", j.state())
	}
	// The same again is no swap.
	if out, err := j.SwapPlugins(t.Context(), PluginSet{Tables: []PluginTable{second}}); err != nil || len(out) != 0 {
		t.Errorf("%v %+v", err, out)
	}

	other := j.table(strict("third"))
	kept := j.swapped(SwapKept, StageCompare, "acceptDiff", other)
	if len(kept.Differences) != 1 || kept.Differences[0].OnlyB != 1 || !strings.Contains(kept.Differences[0].Examples[0], "it is odd") {
		t.Errorf("the differences are %+v", kept.Differences)
	}
	if n := j.violations(); n != 0 || j.state().Name != "second" || j.state().LastSwap.Stage != StageCompare {
		t.Errorf("%d violations, the state is %+v", n, j.state())
	}
	if j.lastSwap("") != nil {
		t.Error("the reasoner is said to have been swapped")
	}
	other.AcceptDiff = other.Blake3
	j.swapped(SwapDone, "", "1 others, which were accepted", other)
	if n := j.violations(); n != 1 || j.state().Name != "third" {
		t.Errorf("%d violations of %s", n, j.state().Name)
	}

	wrong := j.table(lenient("fourth"))
	wrong.Blake3 = PinOf(first)
	j.swapped(SwapKept, StageSource, "not the pinned one", wrong)
	j.swapped(SwapKept, StageAdmit, "not admitted", j.table(first[:len(first)/2]))
	j.swapped(SwapKept, StageDescribe, "not admitted", j.table(judgeOfAnotherWorld()))
	j.swapped(SwapKept, StageCompare, "the new one does not", j.table(judge("forgetful")))
	if n := j.violations(); n != 1 || j.state().Name != "third" {
		t.Errorf("%d violations of %s", n, j.state().Name)
	}

	j.swapped(SwapDone, "", "taken away")
	if _, err := j.Checks(t.Context(), ChecksRequest{}); err == nil || !strings.Contains(err.Error(), "there is no check evaluator judge") {
		t.Errorf("without its evaluator: %v", err)
	}
	j.swapped(SwapDone, "", "no build to compare", j.table(first))
	if n := j.violations(); n != 0 || j.state().Name != "first" {
		t.Errorf("%d violations of %s", n, j.state().Name)
	}
}

func judgeOfAnotherWorld() []byte {
	p := newPuppet()
	p.says(abi.ExportEvaluatorDescribe, nil, &abi.Description{ABI: abi.Version, World: abi.WorldReasoner, Name: "n", Version: "1"})
	p.says(abi.ExportEvaluate, []byte{wasmtest.I32, wasmtest.I32}, &abi.EvaluateResponse{})
	return p.Bytes()
}

// TestNoCheckFailsWhileEvaluatorsAreSwapped asks all the time, and nothing of
// the builds that came and went is left at the end.
func TestNoCheckFailsWhileEvaluatorsAreSwapped(t *testing.T) {
	j := newJudged(t, lenient("0"))
	j.violations()
	swap := func(i int) {
		j.swapped(SwapDone, "", "equal", j.table(lenient(fmt.Sprint(i))))
		j.swaps.draining.Wait()
	}
	for i := range warmUp {
		swap(i + 1)
	}
	ctx, done := context.WithCancel(t.Context())
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for ctx.Err() == nil {
				res, err := j.Checks(context.Background(), ChecksRequest{})
				if err != nil || res.Refused() || res.Total != 0 {
					t.Errorf("a call failed: %v %+v", err, res)
					return
				}
			}
		})
	}
	for i := range 20 {
		swap(100 + i)
	}
	done()
	readers.Wait()
	before := owning(t)
	const n = 150
	for i := range n {
		swap(1000 + i)
	}
	if after := owning(t); after.exceeds(before, n) {
		t.Errorf("after %d swaps the process holds %+v, before it held %+v", n, after, before)
	}
}
