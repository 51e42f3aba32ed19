package types

import (
	"github.com/ox-mcp/ox-mcp/host/argon/diag"
)

// trial is what an Env has that types bodies beside others which type other
// bodies at the same time. It changes nothing that they read: it has constants,
// clauses and diagnostics of its own, and typed forms beside those of the
// declarations.
type trial struct {
	spoilt    bool // a body would have changed what others read
	fns       []beside[Fn]
	queries   []beside[Query]
	mutations []beside[Mutation]
	checks    []beside[Check]
}

// beside is the typed form of a declaration before it takes its place.
type beside[T any] struct{ own, of *T }

// onTrial returns an Env to type bodies in.
func (e *Env) onTrial() *Env {
	x := *e
	x.diags = &diag.List{Keep: e.diags.Keep}
	x.World = e.World.With(x.diags)
	x.Constants = e.Constants.Apart()
	x.Clauses, x.asked, x.sharing = nil, nil, nil
	x.hints = 0
	x.trial = &trial{}
	return &x
}

// Beside returns e for making something of its bodies beside others that do so at
// the same time: its constants are apart from those of e.
func (e *Env) Beside() *Env { return e.onTrial() }

// Spoilt reports whether something was asked of e, which is of Beside, that
// others would see: what was made meanwhile is of no use.
func (e *Env) Spoilt() bool { return e.trial.spoilt }

// Attempt runs do, which makes something on trial, and reports whether that was
// not in vain, as spoilt says. What stands in for what others would see need not
// fit: once it was in vain, a panic of do says no more than that. Otherwise
// Attempt panics as do does.
func Attempt(do func(), spoilt func() bool) (ok bool) {
	defer func() {
		if spoilt() {
			_ = recover()
			ok = false
		}
	}()
	do()
	return true
}

// spoils reports whether e is on trial. What would be changed next is read by
// others: then the body is typed again, in its turn.
func (e *Env) spoils() bool {
	if e.trial == nil {
		return false
	}
	e.trial.spoilt = true
	return true
}

// form returns what the typed form of a declaration is written to.
func form[T any](t *trial, list func(*trial) *[]beside[T], of *T) *T {
	if t == nil || of == nil {
		return of
	}
	own := *of
	to := list(t)
	*to = append(*to, beside[T]{&own, of})
	return &own
}

func fnForms(t *trial) *[]beside[Fn]             { return &t.fns }
func queryForms(t *trial) *[]beside[Query]       { return &t.queries }
func mutationForms(t *trial) *[]beside[Mutation] { return &t.mutations }
func checkForms(t *trial) *[]beside[Check]       { return &t.checks }

// trialMark is how far a trial has come.
type trialMark struct {
	diags, sections, constants, clauses, asked, hints, named, fns, queries, mutations, checks int
}

func (e *Env) mark() trialMark {
	t := e.trial
	return trialMark{
		len(e.diags.Items), len(e.diags.Sections), len(e.Constants.Values), len(e.Clauses), len(e.asked), e.hints, e.World.Hints(),
		len(t.fns), len(t.queries), len(t.mutations), len(t.checks),
	}
}

// back takes back what was made since m.
func (e *Env) back(m trialMark) {
	t := e.trial
	e.diags.Items, e.diags.Sections = e.diags.Items[:m.diags], e.diags.Sections[:m.sections]
	e.Constants.Cut(m.constants)
	e.hints = m.hints
	e.World.ForgetHints(m.named)
	e.Clauses, e.asked = e.Clauses[:m.clauses], e.asked[:m.asked]
	t.fns, t.queries, t.mutations, t.checks = t.fns[:m.fns], t.queries[:m.queries], t.mutations[:m.mutations], t.checks[:m.checks]
}

// adopt takes over what a trial made, unless the two have made so many
// suggestions that one after the other would have made others.
func (e *Env) adopt(x *Env) bool {
	if x.hints > 0 && e.hints+x.hints > maxHints || !e.World.Join(x.World) {
		return false
	}
	e.hints += x.hints
	e.diags.Append(x.diags)
	e.asked = append(e.asked, x.asked...)
	x.renumber(e.Constants.Adopt(&x.Constants))
	e.Clauses = append(e.Clauses, x.Clauses...)
	t := x.trial
	take(t.fns)
	take(t.queries)
	take(t.mutations)
	take(t.checks)
	return true
}

func take[T any](list []beside[T]) {
	for _, b := range list {
		*b.of = *b.own
	}
}
