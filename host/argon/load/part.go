package load

import "github.com/ox-mcp/ox-mcp/host/argon/syntax"

// Part returns a workspace of the same packages and modules of which each
// module but those of the standard packages has the items that of returns, and
// that nothing was reported of. modules of Packages and positions in them tell
// which is asked about.
func (w *Workspace) Part(of func(pkg, module int) []syntax.Item) *Workspace {
	out := *w
	out.Packages, out.Diagnostics = nil, nil
	packages := map[*Package]*Package{}
	for i, p := range w.Packages {
		if p == w.Std {
			packages[p] = p
			out.Packages = append(out.Packages, p)
			continue
		}
		q := *p
		q.Modules, q.Dependencies = nil, nil
		modules := make(map[*Module]*Module, len(p.Modules))
		for j, m := range p.Modules {
			n := *m
			n.Package, n.Parent, n.Children, n.Items = &q, modules[m.Parent], nil, of(i, j)
			if n.Parent != nil {
				n.Parent.Children = append(n.Parent.Children, &n)
			}
			modules[m] = &n
			q.Modules = append(q.Modules, &n)
		}
		for _, d := range p.Dependencies {
			q.Dependencies = append(q.Dependencies, Dependency{Name: d.Name, Package: packages[d.Package]})
		}
		packages[p] = &q
		out.Packages = append(out.Packages, &q)
	}
	out.Main, out.Std = packages[w.Main], packages[w.Std]
	return &out
}
