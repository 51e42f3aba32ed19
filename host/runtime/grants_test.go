package runtime

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
	"github.com/ox-mcp/ox-mcp/host/sandbox/wasmtest"
	"github.com/ox-mcp/ox-mcp/host/settings"
)

// kernelReasoner is a build that asks for kernels, and describes itself.
func kernelReasoner() []byte {
	g := wasmtest.NewGuest(2, func(m *wasmtest.Builder) {
		m.Import(abi.ImportKernel, "load", m.Type([]byte{wasmtest.I32, wasmtest.I32}, []byte{wasmtest.I32}))
	})
	d := abi.Description{ABI: abi.Version, World: abi.WorldReasoner, Name: "kernels", Version: "1"}
	text := d.AppendCBOR(nil)
	g.Data(1024, []byte{0, 8, 0, 0, byte(len(text)), 0, 0, 0})
	g.Data(2048, text)
	g.Export(abi.ExportDescribe, wasmtest.KindFunc, g.Func(g.Type(nil, []byte{wasmtest.I32}), nil, wasmtest.I32Const(1024)))
	return g.Bytes()
}

// TestAReasonerHasTheGrantsOfItsSource: none unless the operator says so, and
// the refusal says how.
func TestAReasonerHasTheGrantsOfItsSource(t *testing.T) {
	host, err := sandbox.New(t.Context(), sandbox.Config{TotalMemory: 64 << 20, Now: time.Now})
	must(t, err)
	values, _ := settings.Resolve()
	s := &Service{cfg: Config{Host: host, Settings: values}}
	for _, c := range []struct {
		grants []string
		taken  bool
	}{{nil, false}, {[]string{abi.GrantLog}, false}, {[]string{abi.GrantLog, abi.GrantKernel}, true}} {
		p := s.newPlugin("reasoner", PluginSource{Wasm: kernelReasoner(), Grants: c.grants}, abi.WorldReasoner, s.limits())
		m, err := p.admitted(t.Context())
		var refused *Error
		switch {
		case c.taken:
			must(t, err)
			must(t, m.Close(t.Context()))
		case !errors.As(err, &refused) || refused.Code != "PLUGIN_REFUSED" || !strings.Contains(refused.Message, `grants = ["kernel"]`):
			t.Errorf("%v: %v", c.grants, err)
		}
	}
	must(t, host.Close(t.Context()))
}

func TestNoReasonerIsGrantedAnythingByDefault(t *testing.T) {
	values, _ := settings.Resolve()
	s := &Service{cfg: Config{Settings: values}}
	if g := s.ReasonerSource("file.wasm").Grants; len(g) != 0 {
		t.Errorf("%v", g)
	}
	source, err := settings.FromTOML(settings.LayerUser, "config.toml", []byte("[reasoner]\ngrants = [\"kernel\"]\n"))
	must(t, err)
	s.cfg.Settings, _ = settings.Resolve(source)
	if g := s.ReasonerSource("file.wasm").Grants; len(g) != 1 || g[0] != abi.GrantKernel {
		t.Errorf("%v", g)
	}
	source, err = settings.FromTOML(settings.LayerPackage, "ox.toml", []byte("[reasoner]\ngrants = [\"kernel\"]\n"))
	must(t, err)
	s.cfg.Settings, _ = settings.Resolve(source)
	if g := s.ReasonerSource("file.wasm").Grants; len(g) != 0 {
		t.Errorf("a package grants its own reasoner %v", g)
	}
}
