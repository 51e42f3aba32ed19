package runtime

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/coherence"
	"github.com/ox-mcp/ox-mcp/host/settings"
)

// PluginRow is one configured plugin.
type PluginRow struct {
	Name    string            `json:"name"`
	World   string            `json:"world"`
	Path    string            `json:"path,omitempty"` // empty: it comes with the program
	Pin     string            `json:"blake3,omitempty"`
	Grants  []string          `json:"grants"`
	Limits  map[string]uint64 `json:"limits"`
	From    string            `json:"from"` // the file that declares it, or "the program"
	Layer   string            `json:"layer"`
	State   string            `json:"state"` // ready, unpinned, mismatch, unusable, untrusted or quarantined
	Problem string            `json:"problem,omitempty"`
}

// The states of a PluginRow.
const (
	StateReady       = "ready"
	StateUnpinned    = "unpinned" // it runs because of development mode
	StateUnusable    = "unusable"
	StateUntrusted   = "untrusted" // declared by a package that is not trusted; never opened
	StateQuarantined = "quarantined"
)

// PluginList is the answer of Plugins and Verify.
type PluginList struct {
	Plugins []PluginRow `json:"plugins"`
	Trusted bool        `json:"trusted"` // the served package may name plugins
}

// Plugins lists the configured plugins, and holds each file to its pin.
// Nothing is compiled, and nothing that an untrusted package names is opened.
func (s *Service) Plugins() *PluginList {
	out := &PluginList{Plugins: []PluginRow{
		s.builtIn("reasoner", s.reasonerNow()), s.builtIn(KindEvaluator, s.evaluator),
	}}
	g := s.registryNow()
	for _, name := range g.names {
		r := g.byName[name]
		row := PluginRow{
			Name: name, World: r.Kind, Path: r.Path, Pin: r.Blake3, Grants: append([]string{}, r.Grants...),
			Limits: limitsOf(r.plugin.limits), From: r.File, Layer: r.Layer.String(), State: StateReady,
		}
		if r.fromPackage() {
			out.Trusted = true
		}
		switch err := r.ready(); {
		case err != nil:
			row.State, row.Problem = StateUnusable, err.Error()
		case r.plugin.status().Quarantined != "":
			row.State, row.Problem = StateQuarantined, r.plugin.status().Quarantined
		case r.Blake3 == "":
			row.State = StateUnpinned
		}
		out.Plugins = append(out.Plugins, row)
	}
	for _, i := range g.ignored {
		if name, ok := pluginKey(i.Key); ok {
			out.Plugins = append(out.Plugins, PluginRow{
				Name: name, Grants: []string{}, Limits: map[string]uint64{}, From: "ox.toml", Layer: settings.LayerPackage.String(),
				State: StateUntrusted, Problem: i.Message,
			})
		}
	}
	return out
}

func pluginKey(key string) (string, bool) {
	const prefix = "plugins."
	if key == "reasoner" {
		return key, true
	}
	if len(key) > len(prefix) && key[:len(prefix)] == prefix {
		return key[len(prefix):], true
	}
	return "", false
}

func (s *Service) builtIn(name string, p *plugin) PluginRow {
	row := PluginRow{Name: name, World: p.world, Grants: append([]string{}, p.grants...), Limits: limitsOf(p.limits), From: "the program", Layer: settings.LayerDefault.String(), State: StateReady}
	if o := s.cfg.Settings.Origin("reasoner.path"); p.world == abi.WorldReasoner && o.Value.Text != "" {
		row.Path, row.From, row.Layer = o.Value.Text, o.Source, o.Layer.String()
	}
	status := p.status()
	switch {
	case p.source.Err != nil:
		row.State, row.Problem = StateUnusable, p.source.Err.Error()
	case status.Quarantined != "":
		row.State, row.Problem = StateQuarantined, status.Quarantined
	}
	if len(p.source.Wasm) > 0 {
		row.Pin = PinOf(p.source.Wasm)
	}
	return row
}

func limitsOf(l abi.Limits) map[string]uint64 {
	return map[string]uint64{"fuel": l.Fuel, "memory": l.Memory, "deadline": l.Deadline, "depth": l.Depth, "hostCalls": l.HostCalls, "hostBytes": l.HostBytes, "outputBytes": l.OutputBytes}
}

// Failed reports whether a plugin that is declared cannot be used.
func (l *PluginList) Failed() bool {
	for _, r := range l.Plugins {
		if r.State == StateUnusable || r.State == StateQuarantined {
			return true
		}
	}
	return false
}

// PluginInspection is what there is to know of a plugin file.
type PluginInspection struct {
	File         string   `json:"file"`
	Bytes        int      `json:"bytes"`
	Blake3       string   `json:"blake3"`
	Metered      string   `json:"metered,omitempty"`
	Rewriter     string   `json:"rewriter"`
	World        string   `json:"world"`
	Build        *Build   `json:"build,omitempty"` // as it calls itself
	Exports      []string `json:"exports"`
	Grants       []string `json:"grants"`            // that it needs
	Wants        []string `json:"wants,omitempty"`   // that it can do without, and uses
	Granted      string   `json:"granted,omitempty"` // Metered with these
	MemoryBytes  uint64   `json:"memoryBytes"`
	Snapshotable bool     `json:"snapshotable"`
	Why          string   `json:"why,omitempty"` // it is not snapshotable
	Admitted     bool     `json:"admitted"`
	Code         string   `json:"code,omitempty"` // of the refusal
	Refusal      string   `json:"refusal,omitempty"`
}

// InspectPlugin looks at a plugin file: it is admitted under the operator's
// limits, describes itself, and is forgotten.
func (s *Service) InspectPlugin(ctx context.Context, file string) (*PluginInspection, error) {
	wasm, err := ReadPlugin(file)
	if err != nil {
		return nil, &Error{Status: 400, Code: "PLUGIN_UNREADABLE", Message: err.Error()}
	}
	limits := s.evaluatorLimits()
	i, err := s.cfg.Host.Inspect(ctx, filepath.Base(file), wasm, limits)
	if err == nil && i.World == abi.WorldReasoner {
		i, err = s.cfg.Host.Inspect(ctx, filepath.Base(file), wasm, s.limits())
	}
	if err != nil {
		return nil, &Error{Status: 500, Code: "PLUGIN_REFUSED", Message: err.Error()}
	}
	out := &PluginInspection{
		File: file, Bytes: i.Bytes, Blake3: i.Hash, Metered: i.MeteredHash, Rewriter: rewriterVersion, World: i.World, Exports: i.Exports, Grants: i.Imports, Wants: i.Wants, Granted: i.GrantedHash,
		MemoryBytes: i.MemoryMin, Snapshotable: i.Snapshotable, Why: i.Keep, Admitted: i.Refusal == nil && i.World != "",
	}
	switch {
	case i.Refusal != nil:
		out.Code, out.Refusal = string(i.Refusal.Code), i.Refusal.Error()
	case i.World == "":
		out.Code, out.Refusal = "world", fmt.Sprintf("it exports neither %s nor %s: it is no plugin", abi.ExportEvaluate, abi.ExportLoad)
	default:
		out.Build = &Build{Name: i.Description.Name, Version: i.Description.Version, Blake3: i.Hash}
	}
	return out, nil
}

// TrustResult is the answer of TrustPackage.
type TrustResult struct {
	Path    string        `json:"path,omitempty"`
	Digest  string        `json:"digest,omitempty"`
	Plugins []string      `json:"plugins,omitempty"` // that the package may name from now on, with what they are given
	Removed int           `json:"removed,omitempty"`
	Records []TrustRecord `json:"records,omitempty"`
}

// TrustPackage records the package as it is now, or with remove forgets it. It
// holds from the next start on.
func (s *Service) TrustPackage(ctx context.Context, remove bool) (*TrustResult, error) {
	p := s.cfg.Project
	if p == nil || !p.Sources() {
		return nil, &Error{Status: 400, Code: CodeNoProject, Message: "name the folder of a package with an ox.toml"}
	}
	digest, plugins, err := packageDigest(ctx, p)
	if remove {
		n, err := s.cfg.Trust.remove(p.Folder(), digest)
		if err != nil {
			return nil, trustError(err)
		}
		return &TrustResult{Path: p.Folder(), Removed: n}, nil
	}
	if err != nil {
		return nil, trustError(err)
	}
	if err := s.cfg.Trust.add(TrustRecord{Digest: digest, Path: p.Folder(), At: s.cfg.Trust.Clock().UTC()}); err != nil {
		return nil, trustError(err)
	}
	return &TrustResult{Path: p.Folder(), Digest: digest, Plugins: plugins}, nil
}

// TrustedPackages lists the records.
func (s *Service) TrustedPackages() (*TrustResult, error) {
	list, err := s.cfg.Trust.List()
	if err != nil {
		return nil, trustError(err)
	}
	return &TrustResult{Records: append([]TrustRecord{}, list...)}, nil
}

func trustError(err error) error {
	return &Error{Status: 500, Code: "TRUST", Message: err.Error()}
}

func listOrNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}

// packageDigest reads the package's manifest as it is now.
func packageDigest(ctx context.Context, p *coherence.Project) (digest string, plugins []string, err error) {
	ws, err := p.LoadManifest(ctx)
	if err != nil {
		return "", nil, err
	}
	if ws.Main == nil || ws.Main.Manifest == nil {
		return "", nil, fmt.Errorf("%s has no ox.toml that can be read: there is nothing to trust", p.Folder())
	}
	m := ws.Main.Manifest
	text, err := os.ReadFile(filepath.Join(p.Folder(), "ox.toml"))
	if err != nil {
		return "", nil, err
	}
	if m.Reasoner != nil {
		plugins = append(plugins, "reasoner ("+m.Reasoner.Path+")")
	}
	for _, x := range m.Plugins {
		plugins = append(plugins, fmt.Sprintf("%s (%s; grants: %s)", x.Name, x.Path, listOrNone(x.Grants)))
	}
	digest, _, err = trustDigest(m, text, p.Folder())
	return digest, plugins, err
}
