package runtime

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
	"github.com/ox-mcp/ox-mcp/host/settings"
)

// PluginSource is a plugin build that is not admitted yet.
type PluginSource struct {
	Name   string // for messages: "embedded reasoner", or a file
	Wasm   []byte
	Hash   string   // PinOf(Wasm), where it is known; else empty
	Grants []string // that the operator gives it, by the names of abi
	Err    error    // why there are no bytes
	// Embedded says that the build came with the program.
	Embedded bool
	// OfPackage says that the package names it as its reasoner.
	OfPackage bool
	// GrantsIn is the setting that Grants are from; empty: the plugin's table.
	GrantsIn string
}

// pin is the hash of the bytes.
func (s *PluginSource) pin() string {
	if s.Hash != "" {
		return s.Hash
	}
	return PinOf(s.Wasm)
}

// plugin is a build that is admitted when it is first needed.
type plugin struct {
	host   *sandbox.Host
	source PluginSource
	world  string
	limits abi.Limits
	grants []string
	clock  func() time.Time

	name   string // in the configuration; empty: the reasoner, or what comes with the program
	ledger *ledger

	mu         sync.Mutex
	module     *sandbox.Module
	refusal    error  // what an admission ahead of its need ended in; the next to need it is told
	tally      *tally // nil until it is first needed
	quarantine quarantine

	tenants tenants // generations on it
}

// newPlugin makes a plugin that is admitted when it is first needed.
func (s *Service) newPlugin(name string, source PluginSource, world string, limits abi.Limits) *plugin {
	if source.Name == "" {
		source.Name = name
	}
	clock := s.cfg.Clock
	if clock == nil {
		clock = func() time.Time { return time.Time{} }
	}
	return &plugin{host: s.cfg.Host, source: source, world: world, limits: limits, grants: source.Grants, clock: clock, ledger: &s.ledger}
}

func (p *plugin) admitted(ctx context.Context) (*sandbox.Module, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.refusal; err != nil {
		p.refusal = nil
		return nil, err
	}
	return p.admit(ctx)
}

// admit is admitted while p.mu is held.
func (p *plugin) admit(ctx context.Context) (*sandbox.Module, error) {
	if err := p.quarantined(); err != nil {
		return nil, err
	}
	if p.module != nil {
		return p.module, nil
	}
	if p.source.Err != nil {
		return nil, &Error{Status: 500, Code: "PLUGIN_UNAVAILABLE", Message: p.source.Err.Error()}
	}
	hash := p.source.pin()
	if p.tally == nil {
		p.tally = p.ledger.take(tallyKey{p.world, p.name, hash})
	}
	Progress(ctx, "admitting "+p.source.Name, 0, 0)
	m, err := p.host.Admit(ctx, p.source.Name, p.source.Wasm, sandbox.AdmitOptions{World: p.world, Grants: p.grants, MemoryCap: p.limits.Memory, Hash: hash, Limits: p.limits})
	if err != nil {
		if ctx.Err() == nil { // what its caller gave up is no refusal
			p.tally.add(0, 1, 0)
		}
		var refused *sandbox.AdmissionError
		if errors.As(err, &refused) {
			return nil, &Error{Status: 500, Code: "PLUGIN_REFUSED", Message: p.source.refusal(refused),
				Details: map[string]any{"admission": refused.Code}}
		}
		return nil, &Error{Status: 500, Code: "PLUGIN_REFUSED", Message: fmt.Sprintf("%s is not admitted: %v", p.source.Name, err)}
	}
	p.module = m
	p.tally.admitted(m)
	return m, nil
}

// refusal says why the build is not admitted, and what an operator can do.
func (s *PluginSource) refusal(e *sandbox.AdmissionError) string {
	if e.Code == sandbox.CodeCompileDeadline && s.Embedded {
		// What the build came with cannot be mended by who reads this.
		why, _, _ := strings.Cut(e.Detail, ": ")
		return fmt.Sprintf("the %s cannot start: %s. The machine is busy: call again, or raise the setting limits.compileDeadline (%s)", s.Name, why, variable("limits.compileDeadline"))
	}
	return fmt.Sprintf("%s is not admitted: %v%s", s.Name, e, s.grantHelp(e))
}

// grantHelp says how a missing grant is given.
func (s *PluginSource) grantHelp(e *sandbox.AdmissionError) string {
	if e.Code != "import_not_granted" {
		return ""
	}
	for grant, imported := range map[string]string{abi.GrantLog: abi.ImportLog, abi.GrantFacts: abi.ImportFacts, abi.GrantKernel: abi.ImportKernel} {
		switch {
		case !strings.Contains(e.Detail, imported):
		case s.OfPackage:
			return "; the reasoner of a package is granted nothing: to give it that, name the file in your own setting reasoner.path"
		case s.GrantsIn != "":
			return fmt.Sprintf("; if you want it to have that, add %s to the setting %s (%s=%s)", grant, s.GrantsIn, variable(s.GrantsIn), strings.Join(append(slices.Clone(s.Grants), grant), ","))
		default:
			return fmt.Sprintf("; if you want it to have that, write grants = [%q] in its table", grant)
		}
	}
	return ""
}

// variable is the environment variable of a setting.
func variable(key string) string {
	s, _ := settings.Lookup(key)
	return s.Env()
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
	s := PluginStatus{World: p.world, Grants: []string{}}
	if b := p.build(); b != nil {
		s.Build, s.Loaded = *b, true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.module != nil {
		s.Metered, s.Compiled = p.module.MeteredHash(), "cold"
		if p.module.Cached() {
			s.Compiled = "cached"
		}
	}
	s.Grants = append(s.Grants, p.grants...)
	s.Quarantined = p.quarantine.reason
	p.tally.fill(&s)
	return s
}

// counted is the tally of a plugin that was admitted.
func (p *plugin) counted() *tally {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tally
}

// hit counts a state that did not have to be made.
func (p *plugin) hit() { p.counted().add(0, 0, 1) }

// instance makes an instance of the plugin.
func (p *plugin) instance(ctx context.Context, limits abi.Limits) (*sandbox.Instance, error) {
	admitted, err := p.admitted(ctx)
	if err != nil {
		return nil, err
	}
	in, err := admitted.Instantiate(ctx, limits)
	p.fault(err)
	return in, err
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
	p.mu.Lock()
	err := p.quarantined()
	p.mu.Unlock()
	if err != nil {
		return sandbox.Usage{}, err
	}
	began := p.clock()
	wire := req.AppendCBOR(nil)
	out, usage, err := in.Call(ctx, export, wire, limits)
	recorderOf(ctx).answered(ctx, p, RecordedCall{Export: export, Request: wire, Limits: limits, Answer: out, Fuel: usage.Fuel, MemoryBytes: usage.MemoryBytes}, err)
	p.counted().count(export, usage, err, p.clock().Sub(began))
	p.fault(err)
	if err != nil {
		return usage, err
	}
	if err := resp.DecodeCBOR(out); err != nil {
		return usage, p.nonsense(fmt.Sprintf("gave an answer that does not parse: %v", err))
	}
	return usage, nil
}
