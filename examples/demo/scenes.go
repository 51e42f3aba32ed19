package main

import (
	"fmt"
	"strings"
)

// supplyChain is the loop of an author and a user of an ontology.
func supplyChain(s *stage) {
	s.print("$ ox-mcp stdio examples/supply_chain --now 2026-11-30T12:00:00Z --seed demo\n")

	s.part("What is there?", "The package says which modules this very project is built from. Nothing was\nbuilt yet.")
	var at status
	s.call("argon_status", `{}`, &at)
	s.must(at.NextStep != nil && at.Loaded == "", "a fresh package has no module")
	s.answer("no module is loaded, the sources are not built; next step: %s", at.NextStep.Tool)

	s.part("A mistake", "Somebody misspells a name while editing.")
	s.edit("graph.ar", "reaches(m, k), Requires(k, n)", "reachs(m, k), Requires(k, n)")
	var found checked
	s.call("argon_check", `{}`, &found)
	s.must(found.Summary.Errors == 1, "one mistake is one error, and there are %d", found.Summary.Errors)
	for _, d := range found.Diagnostics {
		if d.Severity == "Error" {
			s.diagnostic(d)
		}
	}
	var refused built
	s.call("argon_build", `{}`, &refused)
	s.must(!refused.OK, "a package with an error is not built")
	s.answer("%s: %s", refused.Code, refused.Message)
	s.print("\n")
	s.edit("graph.ar", "reachs(m, k), Requires(k, n)", "reaches(m, k), Requires(k, n)")
	s.call("argon_check", `{}`, &found)
	s.must(found.Summary.Errors == 0, "the mistake is mended")
	s.answer("%d errors, %d warnings in %d files; the warnings are findings about the facts:", found.Summary.Errors, found.Summary.Warnings, found.Summary.Files)
	for _, d := range found.Diagnostics {
		s.prose("  %s %s: %s", d.Severity, d.Code, d.Message)
	}

	s.part("Built, tested, served", "The artifact is written, loaded again from disk and verified.")
	var done built
	s.call("argon_build", `{}`, &done)
	s.must(done.OK && done.Reloaded, "it builds: %s", done.Message)
	s.answer("wrote %s, and serves it", done.Wrote)
	s.quietly("argon_status", `{}`, &at)
	s.must(at.Loaded == done.ModuleHash && at.OnDisk == done.ModuleHash && !at.Dirty, "the module that is served is the one on disk")
	s.answer("served = on disk = built: one hash, and every answer from here on carries it")
	var tests tested
	s.call("argon_test", `{}`, &tests)
	for _, t := range tests.Tests {
		s.answer("%s %s", t.Outcome, t.Name)
	}
	s.must(tests.Summary.Failed+tests.Summary.Errors == 0 && tests.Summary.Passed > 0, "the tests of the package pass")
	s.answer("%d passed, %d failed", tests.Summary.Passed, tests.Summary.Failed)

	s.part("A question", "Who rests on one small module?")
	s.query(`{"name": "dependents", "args": {"module": "github.com/segmentio/asm"}}`, done.ModuleHash)
	s.print("\n")
	s.query(`{"name": "exposed_modules"}`, done.ModuleHash)

	s.part("Why?", "The answer is a proof, down to the lines of the facts files.")
	s.explain(`"exposed(\"github.com/ox-mcp/ox-mcp\", \"INVENTED-1\")"`, true)

	s.part("Why not?", "For each rule: how far it gets, and the premise that is missing.")
	s.explain(`"exposed(\"github.com/spf13/cobra\", \"INVENTED-1\")"`, false)

	s.part("A write", "A flaw is reported. The answer lists what follows from it now and did not\nbefore.")
	var wrote mutated
	s.call("argon_mutate", `{"name": "report_advisory", "args": {"title": "A schema of great depth is read for ever", "level": "High", "module": "github.com/google/jsonschema-go"}, "includeDerivedDelta": true}`, &wrote)
	s.must(wrote.Receipt != nil, "the write is taken: %s", wrote.Message)
	s.answer("accepted at tt %d: %d events, %d new individual", wrote.Receipt.Stamp, wrote.Receipt.Events, len(wrote.Minted))
	for _, m := range wrote.Minted {
		s.name(m.ID, m.Concept)
	}
	for _, d := range wrote.Delta {
		for _, t := range d.Added {
			s.answer("+ %s(%s)", short(d.Head), strings.Join(s.cells(t), ", "))
		}
		for _, t := range d.Removed {
			s.answer("- %s(%s)", short(d.Head), strings.Join(s.cells(t), ", "))
		}
	}
	for _, o := range wrote.Observed {
		s.prose("%s %s: %s", o.Severity, o.Code, o.Message)
	}

	s.part("A write that is refused", "A critical flaw in something that we asked for ourselves: the check\nno_critical_direct forbids it, and shows on what ground.")
	var no mutated
	s.call("argon_mutate", `{"name": "report_advisory", "args": {"title": "A module escapes", "level": "Critical", "module": "github.com/tetratelabs/wazero"}}`, &no)
	s.must(no.Receipt == nil && len(no.Trace) > 0, "the write is refused with a trace")
	s.answer("%s [%s]", no.Code, strings.Join(no.DiagnosticCode, ", "))
	for _, f := range no.Trace {
		s.prose("%s", f.Message)
		s.answer("%s", trace(f.Rendered))
	}
	s.quietly("argon_status", `{}`, &at)
	s.must(at.Stamp.String() == fmt.Sprint(wrote.Receipt.Stamp), "nothing was written: the stamp is still %d", wrote.Receipt.Stamp)
	s.answer("nothing was written: the state is still that of tt %d", wrote.Receipt.Stamp)
}

// runaway shows what happens to a program that would never end.
func runaway(s *stage) {
	s.print("\n$ ox-mcp stdio examples/runaway --now 2026-11-30T12:00:00Z --seed demo\n")

	s.part("A program that never ends", "count_up(n) :- count_up(m), n = m + 1. Nothing is wrong with its form, so it\nbuilds. The reasoner runs as WebAssembly under limits, and these are the\ndefault ones.")
	var b built
	s.call("argon_build", `{}`, &b)
	s.must(b.OK, "it builds: %s", b.Message)
	s.answer("built")
	var stopped rows
	s.call("argon_derive", `{"name": "count_up"}`, &stopped)
	s.must(stopped.LimitExceeded != nil, "a limit ends it")
	s.prose("%s: %s", stopped.Code, stopped.Message)
	s.answer("limit_exceeded: limit %s, allowed %s, used %s", stopped.LimitExceeded.Limit, stopped.LimitExceeded.Allowed, stopped.LimitExceeded.Used)

	s.part("And the server?", "It lives, and what does not depend on that rule still answers.")
	s.query(`{"name": "few_numbers"}`, b.ModuleHash)
}

func (s *stage) query(args, module string) {
	var r rows
	s.call("argon_query", args, &r)
	s.must(r.Code == "" && r.ModuleHash == module, "the query is answered by the module that was built: %s", r.Message)
	s.answer("%s: %d rows", r.Name, r.Total)
	var lines [][]string
	all := make([]string, 0, len(r.Rows))
	for _, row := range r.Rows {
		all = append(all, strings.Join(s.cells(row.Values), " "))
	}
	if joined := strings.Join(all, ", "); len(r.Columns) == 1 && len(joined) < 60 {
		s.answer("  %s", joined)
		return
	}
	for _, row := range r.Rows {
		lines = append(lines, append([]string{" "}, append(s.cells(row.Values), row.Truth)...))
	}
	s.table(lines)
}

func (s *stage) explain(fact string, derived bool) {
	var e explained
	s.call("argon_explain_fact", `{"fact": `+fact+`, "format": "text"}`, &e)
	s.must(e.Code == "" && e.Derived == derived, "the fact is derived: %v, %s", e.Derived, e.Message)
	s.answer("%s", e.Rendered)
}

func (s *stage) diagnostic(d diagnostic) {
	place := ""
	if d.Range != nil {
		place = fmt.Sprintf("%s:%d:%d: ", d.Range.File, d.Range.Start.Line, d.Range.Start.Column)
	}
	s.prose("%s%s %s: %s", place, d.Severity, d.Code, d.Message)
	if d.Help != "" {
		s.prose("  help: %s", d.Help)
	}
}

// trace is the proof tree of a firing, without the line above it that says
// what fired.
func trace(rendered string) string {
	if _, tree, ok := strings.Cut(rendered, "\n"); ok {
		return tree
	}
	return rendered
}

// short is a name without its module.
func short(name string) string {
	if at := strings.LastIndex(name, "::"); at >= 0 {
		return name[at+len("::"):]
	}
	return name
}
