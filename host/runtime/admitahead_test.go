package runtime

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
)

// largeTug writes a package of the source and of so many comments that it is large.
func largeTug(t *testing.T, source string) string {
	t.Helper()
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "ox.toml"), []byte("[package]\nname = \"tug\"\nprelude = [\"std::core::type\", \"std::core::rel\"]\n"), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "root.ar"), []byte(source+strings.Repeat("// long\n", aheadBytes/8)), 0o600))
	return dir
}

// The reasoner of a large package is admitted while that compiles, whether its
// checks come to need it or not.
func TestTheReasonerOfALargePackageIsAdmittedBesideTheCompiler(t *testing.T) {
	for _, c := range []struct {
		name, source string
		errors       bool
	}{
		{"checked", sliceSource, true}, // a check finds something
		{"no checks", "pub type Ship {}\n", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := openFolder(t, largeTug(t, c.source))
			res, err := s.Check(t.Context(), CheckRequest{})
			must(t, err)
			if found := res.Summary.Errors > 0; found != c.errors {
				t.Fatalf("%+v", res.Findings)
			}
			s.reasoner.mu.Lock()
			if s.reasoner.refusal != nil {
				t.Errorf("refused: %v", s.reasoner.refusal)
			}
			s.reasoner.mu.Unlock()
		})
	}
}

// A reasoner that is not admitted is tried once, and the error is the one that there
// is without a large package.
func TestAReasonerThatIsRefusedAheadIsRefusedOnce(t *testing.T) {
	s := openFolder(t, largeTug(t, sliceSource))
	bad := s.newPlugin("reasoner", PluginSource{Name: "bad", Wasm: []byte("\x00asm\x01\x00\x00\x00")}, abi.WorldReasoner, s.limits())
	_, want := s.newPlugin("reasoner", bad.source, bad.world, bad.limits).admitted(t.Context())
	if want == nil {
		t.Fatal("a module without exports is admitted")
	}
	before := s.ledger.take(tallyKey{bad.world, bad.name, PinOf(bad.source.Wasm)}).refusals
	stop := bad.ahead(t.Context())
	_, err := bad.admitted(t.Context())
	stop()
	if err == nil || err.Error() != want.Error() {
		t.Errorf("%v, want %v", err, want)
	}
	if n := bad.tally.refusals - before; n != 1 {
		t.Errorf("it was refused %d times", n)
	}
}

// A refusal ahead that nobody asked about is not told to who comes later, when
// what it was for may be gone.
func TestARefusalAheadIsForgottenWithItsCaller(t *testing.T) {
	s := openFolder(t, largeTug(t, sliceSource))
	p := s.newPlugin("reasoner", PluginSource{Name: "late", Err: errors.New("the file is not there yet")}, abi.WorldReasoner, s.limits())
	stop := p.ahead(t.Context())
	p.mu.Lock() // after the admission
	refused := p.refusal
	p.mu.Unlock()
	stop()
	if refused == nil {
		t.Fatal("it was not refused ahead")
	}
	p.source = s.reasoner.source
	if _, err := p.admitted(t.Context()); err != nil {
		t.Errorf("it is told of what is over: %v", err)
	}
}

// Where nobody comes to need the plugin, the admission is given up. That is no
// refusal, and the next to need it is told nothing of that.
func TestAnAdmissionAheadIsGivenUp(t *testing.T) {
	s := openFolder(t, largeTug(t, sliceSource))
	p := s.newPlugin("reasoner", s.reasoner.source, abi.WorldReasoner, s.limits())
	host, err := sandbox.New(t.Context(), sandbox.Config{TotalMemory: 1 << 30, CompileTime: 10 * time.Minute, Now: time.Now})
	must(t, err)
	t.Cleanup(func() { must(t, host.Close(context.Background())) })
	p.host = host // without a cache, from which it would come at once
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p.ahead(ctx)()
	if p.module != nil || p.refusal != nil || p.tally.refusals != 0 {
		t.Errorf("admitted: %t, refusal %v, %d refusals", p.module != nil, p.refusal, p.tally.refusals)
	}
	p.host = s.cfg.Host
	if _, err := p.admitted(t.Context()); err != nil {
		t.Error(err)
	}
}
