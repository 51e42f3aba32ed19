package runtime

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
)

// PluginSource is a plugin build that is not admitted yet.
type PluginSource struct {
	Name string // for messages: "embedded reasoner", or a file
	Wasm []byte
	Err  error // why there are no bytes
}

// plugin is a build that is admitted when it is first needed.
type plugin struct {
	host   *sandbox.Host
	source PluginSource
	world  string
	limits abi.Limits

	mu     sync.Mutex
	module *sandbox.Module
	calls  uint64
	fuel   uint64
	traps  uint64

	tenants tenants // generations on it
}

func (p *plugin) admitted(ctx context.Context) (*sandbox.Module, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.module != nil {
		return p.module, nil
	}
	if p.source.Err != nil {
		return nil, &Error{Status: 500, Code: "PLUGIN_UNAVAILABLE", Message: p.source.Err.Error()}
	}
	Progress(ctx, "admitting "+p.source.Name, 0, 0)
	m, err := p.host.Admit(ctx, p.source.Name, p.source.Wasm, sandbox.AdmitOptions{World: p.world, MemoryCap: p.limits.Memory, Limits: p.limits})
	if err != nil {
		var refused *sandbox.AdmissionError
		if errors.As(err, &refused) {
			return nil, &Error{Status: 500, Code: "PLUGIN_REFUSED", Message: fmt.Sprintf("%s is not admitted: %v", p.source.Name, err),
				Details: map[string]any{"admission": refused.Code}}
		}
		return nil, &Error{Status: 500, Code: "PLUGIN_REFUSED", Message: fmt.Sprintf("%s is not admitted: %v", p.source.Name, err)}
	}
	p.module = m
	return m, nil
}

// build names the plugin on results; nil while it is not admitted.
func (p *plugin) build() *Build {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.module == nil {
		return nil
	}
	d := p.module.Description()
	return &Build{Name: d.Name, Version: d.Version, Blake3: p.module.Hash()}
}

func (p *plugin) status() PluginStatus {
	s := PluginStatus{World: p.world}
	if b := p.build(); b != nil {
		s.Build, s.Loaded = *b, true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.module != nil {
		s.Metered = p.module.MeteredHash()
	}
	s.Calls, s.Fuel, s.Traps = p.calls, p.fuel, p.traps
	return s
}

func (p *plugin) count(u sandbox.Usage, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls++
	p.fuel += u.Fuel
	var trap *sandbox.Trap
	if errors.As(err, &trap) {
		p.traps++
	}
}

// message is a request or a response of the plugin contract.
type message interface {
	AppendCBOR([]byte) []byte
	DecodeCBOR([]byte) error
}

// call sends req to an export of in and reads the answer into resp. The
// errors are *sandbox.Trap (the instance is dead), *abi.Failure (it is not)
// and *Error.
func (p *plugin) call(ctx context.Context, in *sandbox.Instance, export string, req, resp message, limits abi.Limits) (sandbox.Usage, error) {
	out, usage, err := in.Call(ctx, export, req.AppendCBOR(nil), limits)
	p.count(usage, err)
	if err != nil {
		return usage, err
	}
	if err := resp.DecodeCBOR(out); err != nil {
		return usage, &Error{Status: 500, Code: "PLUGIN_BAD_OUTPUT", Message: fmt.Sprintf("%s gave an answer that does not parse: %v", p.source.Name, err)}
	}
	return usage, nil
}
