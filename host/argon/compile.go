// Package argon compiles Argon: it runs the stages of the language one after
// the other, from a loaded workspace to a rule program, and compiles what is
// asked ad hoc against the result.
package argon

import (
	"cmp"
	"context"
	"slices"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/expand"
	"github.com/ox-mcp/ox-mcp/host/argon/load"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
	"github.com/ox-mcp/ox-mcp/host/argon/types"
)

// Options of a compilation.
type Options struct {
	TestMode bool // the program holds the tests and what they run
	Workers  int  // goroutines at a time; 0: as many as there are processors. What comes out is the same for any number
}

// Result is a compilation: its diagnostics, and the module if none of them is
// an error.
type Result struct {
	Diagnostics []diag.Diagnostic // by path, offset, code
	Module      *lower.Module
	Sources     map[string]*syntax.Source
	Workspace   *load.Workspace
	Expanded    *load.Workspace // Workspace with its macros expanded; nil if the context ended before
	Macros      *expand.Trace   // what was expanded
	Edit        *Edit           // of Session.Check: only the diagnostics were made, and no module; else nil
}

// Compile compiles a loaded workspace. Its diagnostics come first in the
// Result's. A context that ends leaves a Result with a diagnostic that says so.
func Compile(ctx context.Context, ws *load.Workspace, o Options) *Result {
	return compile(ctx, ws, o, false, nil).result
}

// compile is Compile; with keep, what edits are seen against is kept. rest is
// what ws, a part of a workspace, leaves out.
func compile(ctx context.Context, ws *load.Workspace, o Options, keep bool, rest *resolve.Rest) *basis {
	diags := &diag.List{Items: slices.Clone(ws.Diagnostics), Keep: keep}
	r := &Result{Sources: ws.Sources, Workspace: ws}
	b := &basis{result: r, mode: o, loaded: len(diags.Items)}
	expanded, macros, err := expand.Expand(ctx, ws, diags)
	if err == nil {
		r.Expanded, r.Macros = expanded, macros
		b.env, err = types.Elaborate(ctx, resolve.PartNames(expanded, diags, rest), expanded, diags, o.Workers)
		if err == nil {
			r.Module, b.draft, err = lower.Lower(ctx, b.env, diags, o.TestMode, o.Workers)
		}
		macros.Explain(diags.Items)
		macros.Follow(diags.Items, ws.Sources)
	}
	if err != nil {
		if ctx.Err() != nil { // what is said of half of a body is of no use
			diags.Items, diags.Sections = diags.Items[:b.loaded], nil
		}
		diags.Add(diag.Diagnostic{Code: "OE1351", Message: err.Error(), Place: diag.Place{Path: ws.Main.Entry}})
		r.Module, b.draft = nil, nil
	}
	for i := range diags.Items {
		if d := &diags.Items[i]; ws.Sources[d.Place.Path] != nil {
			diag.Respell(d, ws.Sources[d.Place.Path].Text)
		}
	}
	if keep {
		b.raw = *diags
		r.Diagnostics = order(slices.Clone(diags.Items))
	} else {
		r.Diagnostics = order(diags.Items)
	}
	return b
}

// order sorts diagnostics by place and drops what follows from others, and
// repetitions: those of a macro's own words at its other uses, too. Of none it is
// nil. What follows from an error that is not there is shown, so that nothing
// fails without a word.
func order(items []diag.Diagnostic) []diag.Diagnostic {
	if slices.ContainsFunc(items, func(d diag.Diagnostic) bool { return d.Severity == diag.Error && !d.Follows }) {
		items = slices.DeleteFunc(items, func(d diag.Diagnostic) bool { return d.Follows })
	}
	if len(items) == 0 {
		return nil
	}
	slices.SortStableFunc(items, func(a, b diag.Diagnostic) int {
		return cmp.Or(
			cmp.Compare(a.Place.Path, b.Place.Path), cmp.Compare(a.Place.Start, b.Place.Start),
			cmp.Compare(a.Code, b.Code), cmp.Compare(a.Message, b.Message))
	})
	items = slices.CompactFunc(items, func(a, b diag.Diagnostic) bool {
		return a.Code == b.Code && a.Place == b.Place && a.Message == b.Message
	})
	return diag.OncePerMacro(items)
}
