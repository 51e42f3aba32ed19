package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ox-mcp/ox-mcp/host/runtime"
	"github.com/ox-mcp/ox-mcp/plugins"
)

const judgedSource = `use std::core::Severity;
use std::core::Diagnostic;
pub type P { size: Int }
pub fact P(a) { size: 1 };
#[evaluator(judge)]
pub check odd(p: P) :- p: P, p.size > 0
  => Diagnostic { severity: Severity::Warning, code: "ODD", message: "size {p.size}" };
`

// evaluatorBuild is the embedded check evaluator under the hash of its own that
// each name gives it.
func evaluatorBuild(t *testing.T, name string) []byte {
	t.Helper()
	wasm, err := plugins.Evaluator()
	if err != nil {
		t.Skip(err)
	}
	return other(wasm, name)
}

// packaged writes a package whose check asks for a plugin; more goes into its
// manifest.
func (x *watched) packaged(more string) {
	x.t.Helper()
	folder := filepath.Join(x.dir, "harbour")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		x.t.Fatal(err)
	}
	x.write(filepath.Join(folder, "root.ar"), []byte(judgedSource))
	x.write(filepath.Join(folder, "ox.toml"), []byte("[package]\nname = \"judged\"\nprelude = [\"std::core::type\"]\n"+more))
}

// judge is the plugin's status once ok likes it.
func (x *watched) judge(what string, ok func(runtime.PluginStatus) bool) runtime.PluginStatus {
	x.t.Helper()
	var last runtime.PluginStatus
	for range 600 {
		last = runtime.PluginStatus{}
		for _, p := range x.s.PluginStats() {
			if p.Plugin == "judge" {
				last = p
			}
		}
		if ok(last) {
			return last
		}
		time.Sleep(50 * time.Millisecond)
	}
	x.t.Fatalf("%s did not come: %+v %+v\n%s", what, last, last.LastSwap, x.log.String())
	return last
}

func (x *watched) violations(want int) {
	x.t.Helper()
	res, err := x.s.Checks(x.t.Context(), runtime.ChecksRequest{})
	if err != nil || res.Refused() || res.Total != want {
		x.t.Fatalf("%v %+v", err, res)
	}
}

func serving(wasm []byte) func(runtime.PluginStatus) bool {
	return func(p runtime.PluginStatus) bool {
		return p.Blake3 == runtime.PinOf(wasm) && p.LastSwap != nil && p.LastSwap.Outcome == runtime.SwapDone
	}
}

func kept(says string) func(runtime.PluginStatus) bool {
	return func(p runtime.PluginStatus) bool {
		return p.LastSwap != nil && p.LastSwap.Outcome == runtime.SwapKept && strings.Contains(p.LastSwap.Message, says)
	}
}

func TestAServerFollowsThePinOfAnEvaluator(t *testing.T) {
	first, second, third := evaluatorBuild(t, "a"), evaluatorBuild(t, "b"), evaluatorBuild(t, "c")
	declare := func(x *watched, pin []byte) {
		x.write(x.config, fmt.Appendf(nil, "[plugins.judge]\nkind = \"check-evaluator\"\npath = \"judge.wasm\"\nblake3 = %q\n", runtime.PinOf(pin)))
	}
	var file string
	x := newWatchedOn(t, nil, func(x *watched) {
		x.packaged("")
		file = filepath.Join(filepath.Dir(x.config), "judge.wasm")
		x.write(file, first)
		declare(x, first)
	})
	x.violations(1)
	x.write(file, second)
	declare(x, second)
	x.judge("the swap", serving(second))
	x.violations(1)
	// The pin comes first, and its file later.
	declare(x, third)
	if p := x.judge("the refusal", kept("not the pinned one")); p.Blake3 != runtime.PinOf(second) {
		t.Errorf("%s serves", p.Blake3)
	}
	x.violations(1)
	x.write(file, third)
	x.judge("the swap of what is whole now", serving(third))
	x.write(x.config, []byte("# nothing\n"))
	x.judge("the end of the plugin", func(p runtime.PluginStatus) bool { return p.Plugin == "" })
	if _, err := x.s.Checks(t.Context(), runtime.ChecksRequest{}); err == nil {
		t.Error("a check without its evaluator passes")
	}
	// The line is written once the plugin is gone.
	for i := 0; i < 600 && !strings.Contains(x.log.String(), "taken away"); i++ {
		time.Sleep(50 * time.Millisecond)
	}
	if said := x.log.String(); !strings.Contains(said, "the check evaluator judge is now") || !strings.Contains(said, "the check evaluator judge stays") || !strings.Contains(said, "taken away") {
		t.Errorf("standard error has %q", said)
	}
}

// TestAServerFollowsWhatATrustedPackagePins: whatever the package says next, the
// build that was trusted goes on until the user trusts the next one.
func TestAServerFollowsWhatATrustedPackagePins(t *testing.T) {
	first, second := evaluatorBuild(t, "a"), evaluatorBuild(t, "b")
	declare := func(x *watched, wasm []byte) {
		x.write(filepath.Join(x.dir, "harbour", "judge.wasm"), wasm)
		x.packaged(fmt.Sprintf("[plugins.judge]\nkind = \"check-evaluator\"\npath = \"judge.wasm\"\nblake3 = %q\n", runtime.PinOf(wasm)))
	}
	trust := func(x *watched) {
		if _, err := x.s.TrustPackage(t.Context(), false); err != nil {
			t.Fatal(err)
		}
	}
	x := newWatchedOn(t, nil, func(x *watched) {
		x.packaged("")
		declare(x, first)
	})
	if status, err := x.s.Status(t.Context()); err != nil || !strings.Contains(strings.Join(status.Notes, "\n"), "plugins.judge is ignored") {
		t.Errorf("%v, the notes are %q", err, status.Notes)
	}
	trust(x)
	x.judge("the trusted plugin", serving(first))
	x.violations(1)
	if status, err := x.s.Status(t.Context()); err != nil || len(status.Notes) != 0 {
		t.Errorf("%v, the notes are %q", err, status.Notes)
	}
	declare(x, second)
	if p := x.judge("the refusal", kept("ox-mcp trust")); p.Blake3 != runtime.PinOf(first) {
		t.Errorf("%s serves", p.Blake3)
	}
	x.violations(1)
	trust(x)
	x.judge("the next one", serving(second))
	x.violations(1)
	if _, err := x.s.TrustPackage(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	x.judge("the end of the trust", func(p runtime.PluginStatus) bool { return p.Plugin == "" })
	if _, err := x.s.Checks(t.Context(), runtime.ChecksRequest{}); err == nil || !strings.Contains(err.Error(), "ox-mcp trust") {
		t.Errorf("a check of a package that is not trusted: %v", err)
	}
}
