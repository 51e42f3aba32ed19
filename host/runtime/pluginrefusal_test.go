package runtime

import (
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
)

// What is refused says what an operator can do: of a missing grant where it is
// given, and of the embedded build nothing about its functions.
func TestARefusedBuildSaysWhatToDo(t *testing.T) {
	late := &sandbox.AdmissionError{Code: sandbox.CodeCompileDeadline, Detail: "the module was not compiled after 30s: split its large functions", Function: -1, Offset: -1}
	kernel := &sandbox.AdmissionError{Code: "import_not_granted", Detail: "it imports " + abi.ImportKernel, Function: -1, Offset: -1}
	for what, c := range map[string]struct {
		source  PluginSource
		refused *sandbox.AdmissionError
		has     string
		hasNot  string
	}{
		"embedded, late": {PluginSource{Name: "embedded reasoner", Embedded: true}, late, "after 30s. The machine is busy: call again, or raise the setting limits.compileDeadline (OX_MCP_LIMITS_COMPILE_DEADLINE)", "split"},
		"a file, late":   {PluginSource{Name: "plugin digits"}, late, "split its large functions", "busy"},
		"an operator's":  {PluginSource{Name: "reasoner r.wasm", Grants: []string{"log"}, GrantsIn: "reasoner.grants"}, kernel, "add kernel to the setting reasoner.grants (OX_MCP_REASONER_GRANTS=log,kernel)", "table"},
		"a package's":    {PluginSource{Name: "reasoner r.wasm of the package", OfPackage: true}, kernel, "a package is granted nothing", "table"},
		"a plugin's":     {PluginSource{Name: "plugin digits"}, kernel, `write grants = ["kernel"] in its table`, "setting"},
	} {
		text := c.source.refusal(c.refused)
		if !strings.Contains(text, c.has) || strings.Contains(text, c.hasNot) {
			t.Errorf("%s: %s", what, text)
		}
	}
}
