package runtime

import (
	"context"
	"errors"
	"sort"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/coherence"
	"github.com/ox-mcp/ox-mcp/host/governor"
	"github.com/ox-mcp/ox-mcp/host/store"
)

// Status says what is served and whether it is what the sources and the
// artifact on disk say. It always answers, builds nothing, and starts no
// plugin.
func (s *Service) Status(ctx context.Context) (*StatusResult, error) {
	s.rebuild.Lock()
	defer s.rebuild.Unlock()
	res := &StatusResult{
		Profile: "local", Fork: forkMain, DirtyInputs: []string{}, DirtyPolicy: s.cfg.Settings.Text("dirtyPolicy"),
		Limits: governor.ByName(s.limits()), Capabilities: append([]string{}, s.cfg.Settings.List("capabilities")...), Paths: map[string]string{}, Notes: s.registryNow().notes,
		Plugins: s.PluginStats(),
	}
	res.Scope = &Scope{Tenant: tenantDefault, Fork: forkMain, Standpoints: s.defaultStandpoint(), Principal: principalDefault, WritesTo: forkMain}
	res.Reasoner = s.reasoner.build()
	sort.Strings(res.Capabilities)
	stamp, err := s.cfg.Log.Stamp(ctx, store.Scope{Tenant: tenantDefault, Fork: forkMain})
	if err != nil {
		return nil, storeError(err)
	}
	res.Stamp = stamp
	p := s.cfg.Project
	if p == nil {
		res.Outcome = noProject()
		return res, nil
	}
	res.Paths["project"] = p.Folder()
	if p.Root != "" {
		res.Paths["sources"] = p.Root
	}
	s.onDisk(ctx, p, res)
	if m := s.servedModule(); m != nil {
		res.ArtifactLoaded, res.LoadedModuleHash, res.ModuleHash = true, m.hash.String(), m.hash.String()
		dirty, _, inputs := p.Dirty(ctx, m.artifact, m.foreign)
		res.SourceDirty = dirty
		if dirty {
			res.DirtyInputs = inputs
		}
		if dirty || res.OnDiskOxbinHash != "" && res.OnDiskOxbinHash != res.LoadedModuleHash {
			res.NextStep = &NextStep{Tool: "argon_build", Arguments: map[string]any{}}
		}
	}
	if s.stalled != nil && s.stalled.outcome.Refused() {
		res.NextStep = &NextStep{Tool: "argon_check", Arguments: map[string]any{}}
	}
	return res, nil
}

// onDisk describes the artifact file, and takes it as the measure of
// dirtiness where nothing is served yet.
func (s *Service) onDisk(ctx context.Context, p *coherence.Project, res *StatusResult) {
	a, sum, err := p.OnDisk(ctx)
	switch {
	case err == nil:
		res.OnDiskOxbinHash = sum.String()
		if s.servedModule() == nil {
			dirty, _, inputs := p.Dirty(ctx, a, p.MadeByAnother(sum))
			res.SourceDirty = dirty
			if dirty {
				res.DirtyInputs, res.NextStep = inputs, &NextStep{Tool: "argon_build", Arguments: map[string]any{}}
			}
		}
	case errors.Is(err, coherence.ErrNoArtifact):
		res.NeedsBuild = true
		res.SourceDirty = p.Sources()
		res.NextStep = &NextStep{Tool: "argon_build", Arguments: map[string]any{}}
	default:
		res.NeedsRebuild = true
		res.Notes = append(res.Notes, "the artifact on disk is not usable: "+err.Error())
		res.NextStep = &NextStep{Tool: "argon_build", Arguments: map[string]any{}}
	}
}

// Catalog lists the diagnostic catalog, sorted by code.
func (s *Service) Catalog() []CatalogEntry { return Catalog() }

// Catalog lists the diagnostic catalog, sorted by code.
func Catalog() []CatalogEntry {
	all := diag.All()
	out := make([]CatalogEntry, 0, len(all))
	for _, e := range all {
		c := CatalogEntry{
			Code: e.Code, Severity: severities[e.Severity], Title: e.Title, Explanation: e.Explanation,
			Failing: e.Failing, Repaired: e.Repaired, Reserved: e.Reserved != "",
		}
		if e.Remediation.Text != "" {
			c.Remediation = &Remediation{Class: string(e.Remediation.Class), Text: e.Remediation.Text}
		}
		if e.Reserved != "" {
			c.Explanation += " Reserved: " + e.Reserved
		}
		out = append(out, c)
	}
	return out
}
