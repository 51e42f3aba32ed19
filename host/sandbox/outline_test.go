package sandbox

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox/rewrite"
	. "github.com/ox-mcp/ox-mcp/host/sandbox/wasmtest"
)

// saying is a guest that answers with the number, and crashes on demand.
func saying(n int32) []byte {
	g := NewGuest(2, nil)
	g.Exchange("say", nil, I32Const(AnswerAt), I32Const(n), I32Store(0))
	g.Exchange("crash", nil, Op(Unreachable))
	return g.Bytes()
}

// outlined is a cache folder and what is done with it.
type outlined struct {
	t   *testing.T
	dir string
}

func newOutlined(t *testing.T) outlined { return outlined{t, filepath.Join(t.TempDir(), "cache")} }

func (o outlined) host() *Host {
	return newHost(o.t, func(c *Config) { c.CacheDir = o.dir })
}

// codeFiles are the files of machine code in the folder, but for those that are
// being written.
func (o outlined) codeFiles() []string {
	files, err := filepath.Glob(filepath.Join(o.dir, "wazero-*", "*"))
	must(o.t, err)
	return slices.DeleteFunc(files, func(f string) bool { return filepath.Ext(f) != "" })
}

// warm says whether a new host finds the guest's machine code by its outline.
func (o outlined) warm(wasm []byte) bool {
	o.t.Helper()
	h := o.host()
	options := rewrite.Options{Limits: rewrite.DefaultLimits(), MemoryPages: uint32(roomy().Memory / rewrite.PageBytes), Grants: grants(everything()...), Instead: instead(everything())}
	m := h.keptMetered(meteredKey(digest(wasm), options), options, false)
	if m == nil {
		return false
	}
	c, ok := h.fromOutline(o.t.Context(), m)
	if ok {
		must(o.t, c.compiled.Close(o.t.Context()))
	}
	return ok
}

// says admits the guest in a new host and plays it.
func (o outlined) says(wasm []byte) string {
	o.t.Helper()
	return play(o.t, admit(o.t, o.host(), wasm, ""), []exchange{{"say", nil}})
}

// TestOutlinesChangeNothing: a guest whose machine code was found by its outline
// answers, pays and fails as it does where nothing is kept.
func TestOutlinesChangeNothing(t *testing.T) {
	fails := func(t *testing.T, m *Module, export string) string {
		t.Helper()
		in := instantiate(t, m)
		little := roomy()
		little.Fuel = 10_000
		_, _, err := in.Call(t.Context(), export, nil, little)
		var trap *Trap
		if !errors.As(err, &trap) {
			t.Fatalf("%s: %v is no trap", export, err)
		}
		return trap.Error() + "\n" + trap.Stack
	}
	cloned := func(t *testing.T, m *Module) string {
		t.Helper()
		if ok, _ := m.Snapshotable(); !ok {
			return ""
		}
		in := instantiate(t, m)
		first, err := in.Clone(t.Context())
		must(t, err)
		closeLater(t, first)
		second, err := first.Clone(t.Context())
		must(t, err)
		closeLater(t, second)
		return digest(slices.Clone(first.memory.bytes())) + digest(slices.Clone(second.memory.bytes()))
	}
	var none Builder
	none.Memory(1)
	named := NewGuest(1, nil)
	named.PassiveData([]byte("passive"))
	named.Exchange("take", nil, I32Const(AnswerAt), I32Const(0), I32Const(7), Bulk(MemoryInit, 1, 0))
	full := NewGuest(40, nil)
	full.Data(39<<16, bytes.Repeat([]byte("to the end "), 1<<16)[:1<<16])
	full.Data(5, []byte("one"))
	full.Data(6, []byte("over the other"))
	for _, c := range []struct {
		what    string
		wasm    []byte
		history []exchange
		failing string
	}{
		{"hostile", hostile(), []exchange{{"count", []byte{0}}, {"fill", nil}, {"deep", []byte{3}}, {"log", []byte{2}}}, "spin"},
		{"saying", saying(3), []exchange{{"say", nil}}, "crash"},
		{"painter", painter(), []exchange{{"paint", words(mib, 100, 7)}, {"grow", words(3)}}, ""},
		{"data that code names", named.Bytes(), []exchange{{"take", nil}}, ""},
		{"data up to the end of the memory", full.Bytes(), nil, ""},
		{"without functions", none.Bytes(), nil, ""},
	} {
		t.Run(c.what, func(t *testing.T) {
			o := newOutlined(t)
			plain := admit(t, newHost(t, nil), c.wasm, "")
			want := play(t, plain, c.history)
			for _, start := range []string{"cold", "warm", "warm again"} {
				m := admit(t, o.host(), c.wasm, "")
				if got := play(t, m, c.history); got != want {
					t.Errorf("%s: %s\nwithout a cache: %s", start, got, want)
				}
				if m.MeteredHash() != plain.MeteredHash() || m.Cached() != (start != "cold") {
					t.Errorf("%s: hash %s, cached %v", start, m.MeteredHash(), m.Cached())
				}
				if got, want := cloned(t, m), cloned(t, plain); got != want {
					t.Errorf("%s: the memory of clones is %s, without a cache %s", start, got, want)
				}
				if c.failing != "" && fails(t, m, c.failing) != fails(t, plain, c.failing) {
					t.Errorf("%s: %s\nwithout a cache: %s", start, fails(t, m, c.failing), fails(t, plain, c.failing))
				}
			}
			if files := o.codeFiles(); len(files) != 1 || !o.warm(c.wasm) {
				t.Errorf("%d files of machine code; found by the outline: %v", len(files), o.warm(c.wasm))
			}
			if left, err := os.ReadDir(filepath.Join(o.dir, makingDir)); err != nil || len(left) != 0 {
				t.Errorf("left behind: %v %v", left, err)
			}
		})
	}
}

// TestDataBeyondTheMemoryFailsFromAnOutline as it does without one.
func TestDataBeyondTheMemoryFailsFromAnOutline(t *testing.T) {
	var m Builder
	m.Memory(1)
	m.Data(1<<16-2, []byte("four"))
	o := newOutlined(t)
	for _, h := range []*Host{newHost(t, nil), o.host(), o.host()} {
		_, err := admit(t, h, m.Bytes(), "").Instantiate(t.Context(), roomy())
		trapped(t, err, Crash)
	}
}

// TestOutlinesTellBodiesApart: two guests of which one constant differs have
// their own machine code.
func TestOutlinesTellBodiesApart(t *testing.T) {
	o := newOutlined(t)
	one, two := saying(1), saying(2)
	plain := newHost(t, nil)
	history := []exchange{{"say", nil}}
	for range 2 {
		for _, wasm := range [][]byte{one, two} {
			if got, want := o.says(wasm), play(t, admit(t, plain, wasm, ""), history); got != want {
				t.Errorf("%s\nwant %s", got, want)
			}
		}
	}
	if files := o.codeFiles(); len(files) != 2 {
		t.Errorf("%d files of machine code, want 2", len(files))
	}
}

// TestSpoiltMachineCodeIsMadeAgain: whatever lies under the outline's name, the
// guest is the one that was asked for, and the next start finds it.
func TestSpoiltMachineCodeIsMadeAgain(t *testing.T) {
	guest, other := saying(7), saying(8)
	o := newOutlined(t)
	want := o.says(guest)
	file := o.codeFiles()[0]
	good, err := os.ReadFile(file)
	must(t, err)
	o.says(other)
	files := o.codeFiles()
	otherFile := files[slices.IndexFunc(files, func(f string) bool { return f != file })]
	foreign, err := os.ReadFile(otherFile)
	must(t, err)
	flipped := slices.Clone(good)
	flipped[len(flipped)/2] ^= 1
	for _, c := range []struct {
		what  string
		spoil func()
	}{
		{"gone", func() { must(t, os.Remove(file)) }},
		{"empty", func() { must(t, os.WriteFile(file, nil, 0o600)) }},
		{"cut in its head", func() { must(t, os.WriteFile(file, good[:8], 0o600)) }},
		{"cut in its code", func() { must(t, os.WriteFile(file, good[:len(good)*2/3], 0o600)) }},
		{"cut at its end", func() { must(t, os.WriteFile(file, good[:len(good)-1], 0o600)) }},
		{"text", func() { must(t, os.WriteFile(file, bytes.Repeat([]byte("no code. "), 500), 0o600)) }},
		{"one bit", func() { must(t, os.WriteFile(file, flipped, 0o600)) }},
		{"another guest's", func() { must(t, os.WriteFile(file, foreign, 0o600)) }},
		{"what the runtime makes of the outline", func() {
			must(t, os.Remove(file))
			if o.warm(guest) {
				t.Error("an outline was taken for the module")
			}
			if _, err := os.Stat(file); err != nil {
				t.Fatalf("the runtime kept nothing: %s", err)
			}
		}},
		{"a folder", func() { must(t, os.Remove(file)); must(t, os.Mkdir(file, 0o700)) }},
	} {
		t.Run(c.what, func(t *testing.T) {
			c.spoil()
			if got := o.says(guest); got != want {
				t.Errorf("%s\nwant %s", got, want)
			}
			if info, err := os.Stat(file); err == nil && info.IsDir() {
				must(t, os.Remove(file)) // nothing can take its place
				o.says(guest)
			}
			if again, err := os.ReadFile(file); err != nil || !bytes.Equal(again, good) || !o.warm(guest) {
				t.Errorf("not mended: %v, %d bytes, found by the outline: %v", err, len(again), o.warm(guest))
			}
		})
	}
}

// TestMachineCodeThatCannotBePlaced: where no outline can be had the module is
// compiled as it is.
func TestMachineCodeThatCannotBePlaced(t *testing.T) {
	o := newOutlined(t)
	must(t, os.MkdirAll(o.dir, 0o700))
	must(t, os.WriteFile(filepath.Join(o.dir, makingDir), nil, 0o600))
	want := play(t, admit(t, newHost(t, nil), saying(4), ""), []exchange{{"say", nil}})
	for range 3 {
		if got := o.says(saying(4)); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

// TestWhatUnfinishedProcessesLeaveIsBounded: a process that ends while it
// compiles leaves a folder.
func TestWhatUnfinishedProcessesLeaveIsBounded(t *testing.T) {
	o := newOutlined(t)
	for i := range 3 * makingMost {
		must(t, os.MkdirAll(filepath.Join(o.dir, makingDir, "new-"+strings.Repeat("x", i+1), "whole"), 0o700))
	}
	o.says(saying(5))
	left, err := os.ReadDir(filepath.Join(o.dir, makingDir))
	must(t, err)
	if len(left) != makingMost-1 {
		t.Errorf("%d folders are left, want %d", len(left), makingMost-1)
	}
}

// TestOutlinesOfSeveralProcesses: hosts that share nothing but the folder admit
// the same guests at the same time, while their machine code is deleted.
func TestOutlinesOfSeveralProcesses(t *testing.T) {
	o := newOutlined(t)
	guests := [][]byte{saying(10), saying(11)}
	history := []exchange{{"say", nil}}
	var want []string
	for _, wasm := range guests {
		want = append(want, play(t, admit(t, newHost(t, nil), wasm, ""), history))
	}
	stop := make(chan struct{})
	var deleting, hosts sync.WaitGroup
	deleting.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(3 * time.Millisecond):
			}
			for _, file := range o.codeFiles() {
				if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
					t.Error(err)
				}
			}
		}
	})
	for i := range 4 {
		hosts.Go(func() {
			ctx := context.Background()
			for j := range 6 {
				h, err := New(ctx, Config{CacheDir: o.dir, TotalMemory: 1 << 30, Now: time.Now})
				if err != nil {
					t.Error(err)
					return
				}
				n := (i + j) % len(guests)
				m, err := h.Admit(ctx, "guest", guests[n], AdmitOptions{Grants: everything(), Limits: roomy()})
				if err != nil {
					t.Error(err)
				} else {
					if got := play(t, m, history); got != want[n] {
						t.Errorf("%s\nwant %s", got, want[n])
					}
					err = m.Close(ctx)
				}
				if err := errors.Join(err, h.Close(ctx)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	hosts.Wait()
	close(stop)
	deleting.Wait()
	for i, wasm := range guests {
		if got := o.says(wasm); got != want[i] || !o.warm(wasm) {
			t.Errorf("afterwards: %s\nwant %s", got, want[i])
		}
	}
}

// TestOutlinesInOneHost: modules that are open keep their code while others of
// the same outline are admitted, closed, and their file is gone.
func TestOutlinesInOneHost(t *testing.T) {
	o := newOutlined(t)
	h := o.host()
	history := []exchange{{"say", nil}}
	first := admit(t, h, saying(6), "")
	want := play(t, first, history)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 5 {
				m, err := h.Admit(context.Background(), "guest", saying(6), AdmitOptions{Grants: everything(), Limits: roomy()})
				if err != nil {
					t.Error(err)
					return
				}
				if got := play(t, m, history); got != want {
					t.Errorf("%s\nwant %s", got, want)
				}
				if err := m.Close(context.Background()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	for _, file := range o.codeFiles() {
		must(t, os.Remove(file))
	}
	for _, m := range []*Module{first, admit(t, h, saying(6), "")} {
		if got := play(t, m, history); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	if h.Memory() != 0 {
		t.Errorf("%d bytes are counted", h.Memory())
	}
}

// TestGuestsCannotClaimToBeWhole: the name by which a module is asked is
// refused in guests.
func TestGuestsCannotClaimToBeWhole(t *testing.T) {
	g := NewGuest(1, nil)
	g.Export(rewrite.WholeExport, KindFunc, g.Func(g.Type(nil, []byte{I64}), nil, I64Const(1)))
	_, err := newOutlined(t).host().Admit(t.Context(), "liar", g.Bytes(), AdmitOptions{Limits: roomy()})
	wantCode(t, err, rewrite.CodeReserved)
}

// TestOutlinesLeakNothing admits a guest from its outline very often.
func TestOutlinesLeakNothing(t *testing.T) {
	o := newOutlined(t)
	h := o.host()
	wasm := described(abi.Description{ABI: abi.Version, World: abi.WorldReasoner, Name: "n", Version: "v"}, nil)
	once := func() {
		m, err := h.Admit(t.Context(), "guest", wasm, AdmitOptions{World: abi.WorldReasoner, Limits: roomy()})
		must(t, err)
		must(t, m.Close(t.Context()))
	}
	for range 20 {
		once()
	}
	before := holding(t)
	for range 1000 {
		once()
	}
	after := holding(t)
	if after.descriptors > before.descriptors+2 || after.mappings > before.mappings+20 || after.goroutines > before.goroutines+2 || h.Memory() != 0 {
		t.Errorf("the process holds %+v and %d bytes of memory, before %+v", after, h.Memory(), before)
	}
}
