package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

// judge reads the package's own manifest anew. What was trusted as it was stays
// until it is trusted as it is, names no plugins any more, or the trust is taken
// back.
func (r *pluginWatch) judge(ctx context.Context, dev bool) {
	m := manifestOf(ctx, r.w.served)
	if m.Manifest == nil {
		return // it is being written, or there is none
	}
	own := r.w.trust.OfPackage(m.Manifest, m.text, m.root, dev)
	if own.Trusted || len(own.Ignored) == 0 || !r.own.Trusted || !r.w.trust.Knows(r.own.Digest) {
		r.own, r.told = own, ""
		return
	}
	why := own.Ignored[0].Message
	if why == r.told {
		return
	}
	r.told = why
	if r.own.Reasoner != nil {
		r.tell(r.s.RefuseSwap(why))
	}
	for _, p := range r.own.Plugins {
		r.tellOf(runtime.PluginSwap{Plugin: p.Name, SwapResult: *r.s.RefusePluginSwap(p.Name, why)})
	}
}

// evaluators acts on what is asked for of check evaluators.
func (r *pluginWatch) evaluators(ctx context.Context, next *wiring, dev bool) {
	set := r.w.pluginSet(next.plugins, r.own)
	asked := identity(set)
	if asked == r.set && !dev && !r.again {
		return
	}
	r.set, r.files, r.again = asked, filesOf(set), false
	results, err := r.s.SwapPlugins(ctx, set)
	if err != nil {
		return // the server ends
	}
	for _, res := range results {
		r.again = r.again || res.Outcome == runtime.SwapKept
		r.tellOf(res)
	}
}

func (r *pluginWatch) tellOf(res runtime.PluginSwap) {
	switch {
	case res.Outcome == runtime.SwapKept && res.From != nil:
		fmt.Fprintf(r.log, "ox-mcp: the check evaluator %s stays; another one was refused at %s: %s\n", res.Plugin, res.Stage, res.Message)
	case res.Outcome == runtime.SwapKept:
		fmt.Fprintf(r.log, "ox-mcp: the check evaluator %s was refused at %s: %s\n", res.Plugin, res.Stage, res.Message)
	case res.To == nil:
		fmt.Fprintf(r.log, "ox-mcp: the check evaluator %s: %s\n", res.Plugin, res.Message)
	default:
		fmt.Fprintf(r.log, "ox-mcp: the check evaluator %s is now %s %s %s: %s\n", res.Plugin, res.To.Name, res.To.Version, res.To.Blake3, res.Message)
	}
}

// identity tells sets of plugins apart by what is declared.
func identity(set runtime.PluginSet) string {
	var b strings.Builder
	for i := range set.Tables {
		t := &set.Tables[i]
		fmt.Fprintf(&b, "%q %q %q %q %q %q %v %v %q %q\n", t.Name, t.Kind, t.Path, strings.ToLower(t.Blake3), t.AcceptDiff, t.Grants, t.Limits, t.Layer, t.File, t.Folder)
	}
	for _, i := range set.Ignored {
		fmt.Fprintf(&b, "%q %q\n", i.Key, i.Message)
	}
	return b.String()
}

// filesOf are the files of the plugins, which may come after their pins.
func filesOf(set runtime.PluginSet) []string {
	var out []string
	for i := range set.Tables {
		path := set.Tables[i].Path
		if !filepath.IsAbs(path) {
			path = filepath.Join(set.Tables[i].Folder, path)
		}
		out = append(out, path)
	}
	return out
}
