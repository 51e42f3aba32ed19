package sandbox_test

import (
	"testing"

	"github.com/ox-mcp/ox-mcp/host/sandbox"
	"github.com/ox-mcp/ox-mcp/host/settings"
)

// Nobody can ask for more frames than there are.
func TestSettingOfDepthEndsWhereTheSandboxDoes(t *testing.T) {
	for _, s := range settings.All {
		if s.Key == "limits.depth" && s.Max != sandbox.MaxDepth {
			t.Errorf("limits.depth goes up to %v, the sandbox counts %d frames", s.Max, sandbox.MaxDepth)
		}
	}
}
