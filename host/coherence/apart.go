package coherence

import (
	"context"
	"path/filepath"

	"github.com/ox-mcp/ox-mcp/host/argon/load"
)

// Apart returns the project of an .ar file alone where p, the package around
// it, has no module of that file; else p itself. apart says which.
func (p *Project) Apart(ctx context.Context, file string) (of *Project, apart bool) {
	full, err := filepath.Abs(file)
	if err != nil || filepath.Ext(full) != ".ar" || !p.Sources() || filepath.Ext(p.Root) == ".ar" {
		return p, false
	}
	rel, err := filepath.Rel(p.Root, full)
	if err != nil || !filepath.IsLocal(rel) {
		return p, false
	}
	name := filepath.ToSlash(rel)
	if entry, err := p.entry(ctx); err != nil || entry == name {
		return p, false
	}
	o := p.options(nil)
	o.SkipFacts = true
	ws, err := load.Load(ctx, o)
	if err != nil || ws.Main == nil || ws.Sources[name] != nil {
		return p, false
	}
	return &Project{Root: full, WorkspaceRoot: p.WorkspaceRoot, SourceLimit: p.SourceLimit, Maker: p.Maker}, true
}
