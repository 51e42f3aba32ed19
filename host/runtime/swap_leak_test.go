package runtime

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/coherence"
	"github.com/ox-mcp/ox-mcp/host/runtime/conformance"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
	"github.com/ox-mcp/ox-mcp/host/sandbox/wasmtest"
)

// parrot is a reasoner that gives the same answers to everything: enough for a
// program in which nothing holds, and admitted in no time.
func parrot(name string) []byte {
	p := newPuppet()
	two := []byte{wasmtest.I32, wasmtest.I32}
	nothing := &abi.Rows{Frame: abi.Frame{Columns: [][]abi.Term{{}}}}
	p.says(abi.ExportDescribe, nil, &abi.Description{ABI: abi.Version, World: abi.WorldReasoner, Name: name, Version: "1"})
	p.says(abi.ExportLoad, two, &abi.LoadResponse{})
	p.says(abi.ExportAssert, two, &abi.AssertResponse{})
	p.says(abi.ExportDerive, two, nothing)
	p.says(abi.ExportQuery, two, nothing)
	p.says(abi.ExportChecks, two, &abi.ChecksResponse{})
	return p.Bytes()
}

// mute is a reasoner that only says what it is.
func mute() []byte {
	p := newPuppet()
	p.says(abi.ExportDescribe, nil, &abi.Description{ABI: abi.Version, World: abi.WorldReasoner, Name: "mute", Version: "1"})
	return p.Bytes()
}

// puppet is a guest whose answers lie in its memory from the start.
type puppet struct {
	*wasmtest.Guest
	at int32 // of the next answer
}

func newPuppet() *puppet {
	return &puppet{wasmtest.NewGuest(4, nil), 2 * wasmtest.RequestAt}
}

// says adds an export. The return area of one with a request begins with a
// discriminant.
func (p *puppet) says(export string, params []byte, m message) {
	text := m.AppendCBOR(nil)
	var area []byte
	if params != nil {
		area = binary.LittleEndian.AppendUint32(area, 0)
	}
	area = binary.LittleEndian.AppendUint32(area, uint32(p.at)+16)
	area = binary.LittleEndian.AppendUint32(area, uint32(len(text)))
	area = append(area, make([]byte, 16-len(area))...)
	p.Data(p.at, append(area, text...))
	p.Export(export, wasmtest.KindFunc, p.Func(p.Type(params, []byte{wasmtest.I32}), nil, wasmtest.I32Const(p.at)))
	p.at += int32(16+len(text)+7) &^ 7
}

// newSmallService serves the smallest package there is.
func newSmallService(t *testing.T, source PluginSource, change ...func(*Config)) *Service {
	return newSwapService(t, func(c *Config) {
		dir := t.TempDir()
		for name, text := range map[string]string{
			"ox.toml": "[package]\nname = \"small\"\nversion = \"0.1.0\"\nprelude = [\"std::core::type\"]\n",
			"root.ar": "pub type P;\npub query all_of() -> P;\n",
		} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		project, err := coherence.Find(dir)
		if err != nil {
			t.Fatal(err)
		}
		c.Project, c.Reasoner = project, source
		if len(source.Wasm) < 1<<20 {
			// It compiles in no time: nothing of it is to stay in the user's cache.
			c.Host = uncachedHost(t)
		}
		for _, f := range change {
			f(c)
		}
	})
}

func uncachedHost(t *testing.T) *sandbox.Host {
	h, err := sandbox.New(context.Background(), sandbox.Config{TotalMemory: 1 << 30, Now: time.Now, CompileTime: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close(context.Background()) })
	return h
}

// owned is what this process holds of the system. Neighbouring mappings of
// machine code show as one, so that their bytes are counted.
type owned struct{ goroutines, mappings, descriptors, codeBytes int }

// exceeds says whether o is more than before by what a leak of n swaps would be.
// Some mappings are the Go runtime's own; an instance that is left has three.
func (o owned) exceeds(before owned, n int) bool {
	const page = 4096
	return o.goroutines > before.goroutines+2 || o.descriptors > before.descriptors+2 ||
		o.mappings > before.mappings+min(40, max(10, n/2)) || o.codeBytes > before.codeBytes+n*page/2
}

func owning(t *testing.T) owned {
	t.Helper()
	for range 3 { // machine code goes when a finalizer has run, a moment after a collection
		runtime.GC()
		time.Sleep(20 * time.Millisecond)
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Skipf("this system does not show what a process holds: %v", err)
	}
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	o := owned{goroutines: runtime.NumGoroutine(), descriptors: len(files)}
	for line := range strings.Lines(string(maps)) {
		o.mappings++
		var from, to int
		var rights, offset, device, file string
		if n, _ := fmt.Sscanf(line, "%x-%x %s %s %s %s", &from, &to, &rights, &offset, &device, &file); n == 6 && file == "0" && strings.Contains(rights, "x") {
			o.codeBytes += to - from
		}
	}
	return o
}

// warmUp is how many swaps are not measured.
const warmUp = 6

// leaks swaps n times from one of the builds to the next, with a call after
// each, and wants the process to hold no more at the end than after the first
// few.
func leaks(t *testing.T, s *Service, build func(i int) PluginSource, n int) {
	t.Helper()
	i := 0
	swap := func() {
		i++
		next := build(i)
		res, err := s.Swap(context.Background(), next, SwapOptions{})
		if err != nil || res.Outcome != SwapDone {
			t.Fatalf("swap %d: %v %+v", i, err, res)
		}
		rows := rowsOf(t, s, "all_of")
		if want := PinOf(next.Wasm); rows.Reasoner.Blake3 != want {
			t.Fatalf("swap %d: %s answers, not %s", i, rows.Reasoner.Blake3, want)
		}
		s.swaps.draining.Wait()
	}
	for range warmUp {
		swap()
	}
	before, counted := owning(t), s.cfg.Host.Memory()
	for range n {
		swap()
	}
	after := owning(t)
	for range 50 {
		if after.goroutines <= before.goroutines {
			break
		}
		time.Sleep(10 * time.Millisecond)
		after = owning(t)
	}
	if after.exceeds(before, n) {
		t.Errorf("after %d swaps the process holds %+v, before it held %+v", n, after, before)
	}
	if now := s.cfg.Host.Memory(); now > counted {
		t.Errorf("after %d swaps %d bytes are counted, before %d", n, now, counted)
	}
	if got := s.SwapCounts(); got[SwapDone] != uint64(i) || got[SwapKept] != 0 {
		t.Errorf("%d swaps are counted as %v", i, got)
	}
	if stats := s.BuildStats(); len(stats) > maxIdleTallies+1 {
		t.Errorf("%d builds are remembered", len(stats))
	}
}

// TestNothingLeaksOverManySwaps goes through every stage of a swap but the
// conformance vectors, which a parrot cannot answer. Each build has code of its
// own, so that what is not freed adds up.
func TestNothingLeaksOverManySwaps(t *testing.T) {
	build := func(i int) PluginSource { return PluginSource{Name: "parrot", Wasm: parrot(fmt.Sprint("parrot ", i))} }
	s := newSmallService(t, build(0))
	s.swaps.suite = &conformance.Suite{}
	rowsOf(t, s, "all_of")
	n := 1000
	if testing.Short() {
		n = 100 // the race detector makes it slow
	}
	leaks(t, s, build, n)
}

// TestNothingLeaksOverSwapsOfTheReasoner does it with the build that comes with
// the program, whose instances are cloned from snapshots.
func TestNothingLeaksOverSwapsOfTheReasoner(t *testing.T) {
	wasm := reasonerBytes(t)
	builds := [2]PluginSource{{Name: "a", Wasm: wasm}, {Name: "b", Wasm: twin(wasm, "twin")}}
	s := newSmallService(t, builds[0])
	s.swaps.suite = &conformance.Suite{}
	rowsOf(t, s, "all_of")
	leaks(t, s, func(i int) PluginSource { return builds[i%2] }, 8)
}

// TestARefusedSwapLeavesNothingBehind: a build that is not admitted, and one
// that another answer keeps out.
func TestARefusedSwapLeavesNothingBehind(t *testing.T) {
	a := PluginSource{Name: "a", Wasm: parrot("parrot")}
	s := newSmallService(t, a)
	s.swaps.suite = &conformance.Suite{}
	rowsOf(t, s, "all_of")
	for _, c := range []struct {
		source PluginSource
		stage  string
	}{
		{PluginSource{Name: "half", Wasm: a.Wasm[:len(a.Wasm)/2]}, StageAdmit},
		{PluginSource{Name: "mute", Wasm: mute()}, StageLoad},
	} {
		refuse := func() {
			res, err := s.Swap(context.Background(), c.source, SwapOptions{})
			if err != nil || res.Outcome != SwapKept || res.Stage != c.stage {
				t.Fatalf("%s: %v %+v", c.source.Name, err, res)
			}
		}
		for range 6 {
			refuse()
		}
		before, counted := owning(t), s.cfg.Host.Memory()
		const n = 200
		for range n {
			refuse()
		}
		after := owning(t)
		if after.exceeds(before, n) {
			t.Errorf("%s: after %d refusals the process holds %+v, before it held %+v", c.source.Name, n, after, before)
		}
		if now := s.cfg.Host.Memory(); now > counted {
			t.Errorf("%s: %d bytes are counted, before %d", c.source.Name, now, counted)
		}
	}
}
