package runtime

import (
	"context"
	"encoding/hex"
	"errors"
	"path/filepath"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
)

// PluginRun is one call of a plugin by hand.
type PluginRun struct {
	Export      string `json:"export"`
	Fuel        uint64 `json:"fuel"`
	MemoryBytes uint64 `json:"memoryBytes"`
	HostCalls   uint64 `json:"hostCalls"`
	Answer      string `json:"answer"` // CBOR in hexadecimal
	Failure     string `json:"failure,omitempty"`
	Stopped     string `json:"stopped,omitempty"` // the trap
	Stack       string `json:"stack,omitempty"`
	Output      string `json:"output,omitempty"` // what a stopped guest wrote to its standard streams
}

// RunPlugin calls an export of a plugin file once, on a fresh instance under
// the operator's limits. There are no facts behind ox:plugin/facts.
func (s *Service) RunPlugin(ctx context.Context, file, export string, request []byte) (*PluginRun, error) {
	wasm, err := ReadPlugin(file)
	if err != nil {
		return nil, &Error{Status: 400, Code: "PLUGIN_UNREADABLE", Message: err.Error()}
	}
	limits := s.limits()
	m, err := s.cfg.Host.Admit(ctx, filepath.Base(file), wasm, sandbox.AdmitOptions{Grants: append(Grants(), abi.GrantKernel), Limits: limits})
	if err != nil {
		return nil, &Error{Status: 400, Code: "PLUGIN_REFUSED", Message: err.Error()}
	}
	defer m.Close(ctx)
	in, err := m.Instantiate(ctx, limits)
	if err != nil {
		return nil, &Error{Status: 400, Code: "PLUGIN_TRAPPED", Message: err.Error()}
	}
	defer drop(ctx, &in)
	answer, usage, err := in.Call(ctx, export, request, limits)
	out := &PluginRun{Export: export, Fuel: usage.Fuel, MemoryBytes: usage.MemoryBytes, HostCalls: usage.Calls, Answer: hex.EncodeToString(answer)}
	var trap *sandbox.Trap
	var failure *abi.Failure
	switch {
	case errors.As(err, &trap):
		out.Stopped, out.Stack, out.Output = trap.Error(), trap.Stack, trap.Output
	case errors.As(err, &failure):
		out.Failure = failure.Error()
	case err != nil:
		return nil, Invalid("export", "an export of the calling convention", export, "")
	}
	return out, nil
}
