package runtime

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
	"github.com/ox-mcp/ox-mcp/host/store"
)

// Mutate runs a declared mutation (Name), or an ad-hoc body (Body), on a clone
// of the head; a write that no check refuses is recorded, and the clone
// becomes the head.
func (s *Service) Mutate(ctx context.Context, req MutateRequest) (*MutateResult, error) {
	for {
		res, err := s.mutate(ctx, req)
		if !errors.Is(err, errSuperseded) {
			return res, err
		}
	}
}

// errSuperseded says that another module came to serve while a write waited
// for its turn: it begins anew.
var errSuperseded = errors.New("another module serves now")

func (s *Service) mutate(ctx context.Context, req MutateRequest) (*MutateResult, error) {
	ses, refused, err := s.begin(ctx, Common{Fork: req.Fork, Standpoints: req.Standpoints, Limits: req.Limits})
	if ses == nil {
		return mutateRefused(refused), err
	}
	defer ses.end()
	ses.env.Scope.WritesTo = ses.scope.Fork
	if err := ses.oneView("a write"); err != nil {
		return nil, err
	}
	if (req.Name == "") == (req.Body == "") {
		return nil, Invalid("name", "the name of a mutate, or a body", "both or none", "")
	}
	w := &write{ses: ses, req: req}
	if out, err := w.prepare(ctx); err != nil || out.Refused() {
		env := ses.finish()
		env.Outcome = out
		return mutateRefused(&env), err
	}
	sc := ses.g.scope(ses.scope, ses.point.view)
	writer := s.writers.of(ses.scope)
	writer.Lock()
	defer writer.Unlock()
	if s.servedModule() != ses.m {
		return nil, errSuperseded
	}
	if done, err := w.replayed(ctx); done != nil || err != nil {
		return done, err
	}
	res, err := w.run(ctx, sc)
	if err == nil {
		return res, nil
	}
	why := w.unmet(ctx, sc, err)
	env, err := ses.refuse(err)
	if err != nil {
		return nil, err
	}
	if why != nil {
		env.NextStep = why
	}
	if env.Code == CodeWriteRefused || env.Code == CodeEvaluation {
		if hint := ses.names(ctx).misspelt(w.msg.Args, nil); hint != "" {
			env.Message += "; " + hint
		}
	}
	return mutateRefused(&env), nil
}

func mutateRefused(env *Envelope) *MutateResult {
	if env == nil {
		return nil
	}
	return &MutateResult{Envelope: *env, Minted: []Minted{}, Observed: []Diagnostic{}}
}

// write is one mutation on its way.
type write struct {
	ses      *session
	req      MutateRequest
	mutation *abi.Mutation
	msg      abi.MutateRequest
	until    *store.Moment // the first instant at which the head changes by itself; nil: never
	days     []abi.Delta   // what changes of the days of facts
	dated    bool          // the clone was told of days
	detached bool          // the clone is without the body
}

// name is the qualified name of a declared mutation, "" for an ad-hoc body.
func (w *write) name() string {
	if w.req.Name == "" {
		return ""
	}
	return w.mutation.Name
}

// prepare finds or compiles the body and decodes the arguments.
func (w *write) prepare(ctx context.Context) (Outcome, error) {
	m := w.ses.m
	if w.req.Name != "" {
		names := make([]string, len(m.program.Mutations))
		for i, x := range m.program.Mutations {
			names[i] = x.Name
		}
		i, err := m.named("mutate", w.req.Name, names)
		if err != nil {
			return Outcome{}, err
		}
		w.msg.Mutation, w.mutation = i, &m.program.Mutations[i]
	} else {
		ext, out, err := w.ses.compileBody(ctx, w.req.Body, argon.CompileMutate)
		if err != nil || out.Refused() {
			return out, err
		}
		w.msg.Extension, w.msg.Mutation, w.mutation = ext, len(m.program.Mutations), &ext.Mutations[0]
	}
	if out, no := w.forgetful(); no {
		return out, nil
	}
	if err := unknownArgs(w.req.Args, w.mutation.Params); err != nil {
		return Outcome{}, err
	}
	for _, p := range w.mutation.Params {
		raw, ok := w.req.Args[p.Name]
		if !ok && p.Type.Op != abi.TypeOption {
			want, near := expectation(p.Type), ""
			if w.req.Name == "" {
				want += ", since the body uses " + p.Name + ", which is no name that is declared"
				near = w.ses.names(ctx).near(p.Name)
			}
			return Outcome{}, Invalid("args."+p.Name, want, "nothing", near)
		}
		if !ok {
			raw = []byte("null")
		}
		v, err := decodeValue(raw, p.Type, "args."+p.Name, m)
		if err != nil {
			return Outcome{}, err
		}
		w.msg.Args = append(w.msg.Args, v)
	}
	return Outcome{}, nil
}

// inputHash identifies the module, the body and the arguments.
func (w *write) inputHash() string {
	parts := [][]byte{w.ses.m.hash[:], []byte(w.req.Name), []byte(w.req.Body)}
	for _, v := range w.msg.Args {
		parts = append(parts, abi.AppendValue(nil, v))
	}
	if view := w.ses.point.view; view != "" {
		parts = append(parts, []byte("from"), []byte(view))
	}
	h := hash(parts...)
	return "blake3:" + hex.EncodeToString(h[:])
}

// replayed answers a call whose idempotency key was recorded already.
func (w *write) replayed(ctx context.Context) (*MutateResult, error) {
	if w.req.IdempotencyKey == "" || w.req.DryRun {
		return nil, nil
	}
	c, ok, err := w.ses.s.cfg.Log.Find(ctx, w.ses.scope, w.req.IdempotencyKey)
	if err != nil {
		return nil, storeError(err)
	}
	if !ok {
		return nil, nil
	}
	if c.InputHash != w.inputHash() {
		return nil, Invalid("idempotencyKey", "a key that was not used for another call", w.req.IdempotencyKey, "")
	}
	res := &MutateResult{Name: w.name(), Receipt: receiptOf(c), Minted: []Minted{}, Observed: []Diagnostic{}}
	res.Envelope = w.ses.finish()
	res.Message = "this idempotency key was recorded already: the receipt is that of the first call, and nothing was written again"
	return res, nil
}

func receiptOf(c store.Commit) *Receipt {
	return &Receipt{TT: c.TT, Events: len(c.Events), Now: instantText(c.Now.Value()), ModuleHash: c.ModuleHash, InputHash: c.InputHash, ResultHash: c.ResultHash, Bill: billOf(c.Cost)}
}

// run evaluates the body on a clone of the head and commits it.
func (w *write) run(ctx context.Context, sc *scopeState) (*MutateResult, error) {
	ses := w.ses
	clone, err := w.cloneHead(ctx, sc)
	if err != nil {
		return nil, err
	}
	defer func() { drop(ctx, &clone) }()
	if ses.call, err = ses.s.newCall(ses.call.Limits, ses.now, []byte(scopeKey(ses.scope)), []byte(fmt.Sprint(ses.point.tt))); err != nil {
		return nil, err
	}
	w.msg.Call, w.msg.Delta = ses.call, w.req.IncludeDerivedDelta
	var out abi.MutateResponse
	before, _, err := ses.overTime(ctx, clone)
	if err != nil {
		return nil, err
	}
	if err := ses.ask(ctx, clone, abi.ExportMutate, &w.msg, &out); err != nil {
		return nil, err
	}
	ses.bill(sandbox.Usage{}, out.Work)
	w.detached = out.Detached || w.msg.Extension == nil
	if err := w.along(ctx, &out); err != nil {
		return nil, err
	}
	if err := w.redate(ctx, &out); err != nil {
		return nil, err
	}
	if len(ses.m.overTime) > 0 && len(out.Writes) > 0 {
		if err := w.hindsight(ctx, clone, before, &out); err != nil {
			return nil, err
		}
	}
	res := &MutateResult{Name: w.name(), Minted: []Minted{}, Observed: []Diagnostic{}, DryRun: w.req.DryRun}
	names := ses.names(ctx)
	hint := names.misspelt(w.msg.Args, out.Writes)
	for _, x := range out.Writes {
		if !x.Remove {
			names.learn(ses.m.program.Relations[x.Relation].Name, x.Tuple)
		}
	}
	verdicts, err := ses.verdicts(ctx, out.Violations, heldState(clone))
	if err != nil {
		return nil, err
	}
	var later []verdict
	if !slices.ContainsFunc(verdicts, func(v verdict) bool { return v.Severity == abi.SeverityError }) {
		if later, err = w.ahead(ctx, sc, &out); err != nil {
			return nil, err
		}
		verdicts = append(verdicts, later...)
	}
	for i := range verdicts {
		names.speak(&verdicts[i])
	}
	refusing := w.judge(res, verdicts, names)
	if w.req.IncludeDerivedDelta {
		res.DerivedDelta = ses.m.headDeltas(out.Changes, names)
	}
	if len(refusing) > 0 {
		prov := ses.provenance(ctx)
		prov.propose(out.Writes)
		// The clone is dropped anyway; a trace that is missing is no failure.
		// What comes later has none in the state of now.
		if len(later) == 0 {
			res.Trace, _ = ses.traces(ctx, clone, refusing, defaultTraceDepth, names, prov)
		}
		res.Envelope = ses.finish()
		return res, nil
	}
	for _, x := range out.Minted {
		id, _ := individualID(x.ID)
		_, name := names.display(x.ID)
		res.Minted = append(res.Minted, Minted{ID: id, Concept: x.Concept, Name: name})
	}
	if out.Result != nil {
		t := abi.Type{}
		if w.mutation.Result != nil {
			t = *w.mutation.Result
		}
		c := cell(*out.Result, t, names)
		res.Value = &c
	}
	ses.env.Message = hint
	if w.req.DryRun {
		res.Envelope = ses.finish()
		return res, nil
	}
	commit, err := w.commit(ctx, &out)
	if err != nil {
		return nil, err
	}
	res.Receipt = receiptOf(commit)
	if len(out.Writes) == 0 && w.deletes() {
		ses.env.Message = "nothing was written: a delete takes what holds now, and one that names all places and has a date also what begins later"
	}
	w.adopt(ctx, sc, &clone, commit)
	res.Envelope = ses.finish()
	return res, nil
}

// cloneHead returns a clone of the head, at the latest stamp and the call's
// instant.
func (w *write) cloneHead(ctx context.Context, sc *scopeState) (*sandbox.Instance, error) {
	ses := w.ses
	stamp, err := ses.s.cfg.Log.Stamp(ctx, ses.scope)
	if err != nil {
		return nil, storeError(err)
	}
	if ses.s.canonical(ctx) {
		ses.point.tt = stamp
		in, until, err := ses.g.at(ctx, ses.scope, ses.point.view, stamp, ses.point.vt)
		w.until = until
		return in, err
	}
	sc.mu.Lock()
	defer sc.mu.Unlock()
	if err := sc.current(ctx, ses.g, ses.scope, stamp, ses.point.vt); err != nil {
		return nil, err
	}
	ses.point.tt, w.until = sc.head.tt, sc.head.until
	return sc.clone(ctx, sc.head)
}

// judge sorts the new violations into those that refuse the write and those
// that are only observed.
func (w *write) judge(res *MutateResult, verdicts []verdict, names namer) (refusing []verdict) {
	codes := map[string]bool{}
	for _, v := range verdicts {
		if v.Severity == abi.SeverityError {
			refusing = append(refusing, v)
			codes[v.Code] = true
			continue
		}
		res.Observed = append(res.Observed, w.ses.m.verdictDiagnostic(v))
	}
	if len(refusing) == 0 {
		return nil
	}
	o := &w.ses.env.Outcome
	o.Code = CodeCheckViolation
	o.Message = refusing[0].Message
	if n := len(refusing) - 1; n > 0 {
		o.Message += fmt.Sprintf(" (and %d more)", n)
	}
	o.DiagnosticCodes = make([]string, 0, len(codes))
	for c := range codes {
		o.DiagnosticCodes = append(o.DiagnosticCodes, c)
	}
	sort.Strings(o.DiagnosticCodes)
	for _, v := range refusing {
		o.Diagnostics = append(o.Diagnostics, w.ses.m.verdictDiagnostic(v))
	}
	o.NextStep = w.rehearsal()
	return refusing
}

// rehearsal is the write as a dry run, which tells what it would derive. One
// that is refused has told that: nothing comes after it, for the same call would
// be refused for ever.
func (w *write) rehearsal() *NextStep {
	if w.req.DryRun {
		return nil
	}
	step := &NextStep{Tool: "argon_mutate", Arguments: map[string]any{"name": w.req.Name, "dryRun": true, "includeDerivedDelta": true}}
	if w.req.Name == "" {
		step = &NextStep{Tool: "argon_ad_hoc_mutate", Arguments: map[string]any{"body": w.req.Body, "dryRun": true, "includeDerivedDelta": true}}
	}
	if len(w.req.Args) > 0 {
		step.Arguments["args"] = w.req.Args
	}
	if len(w.req.Standpoints) > 0 {
		step.Arguments["standpoints"] = w.req.Standpoints
	}
	return step
}

// commit records the write set in one transaction.
func (w *write) commit(ctx context.Context, out *abi.MutateResponse) (store.Commit, error) {
	ses := w.ses
	now := momentOf(ses.now)
	t := store.Transaction{
		After: ses.point.tt, Now: now, Mutation: w.name(), Principal: principalDefault, Key: w.req.IdempotencyKey,
		ModuleHash: ses.m.hash.String(), InputHash: w.inputHash(), Cost: ses.cost(),
	}
	for i, x := range out.Writes {
		e := ses.m.event(&x, now, ses.point.view)
		e.ID = eventID(ses.call, i)
		t.Events = append(t.Events, e)
	}
	t.ResultHash = resultHash(t.Events)
	c, err := ses.s.cfg.Log.Append(ctx, ses.scope, t)
	if errors.Is(err, store.ErrConflict) {
		return c, &Error{Status: 409, Code: "CONFLICT", Message: err.Error(), Details: map[string]any{"retryable": true}}
	}
	if err != nil {
		return c, storeError(err)
	}
	return c, nil
}

// event is what a write at the instant now records in a layer, without an id.
func (m *module) event(x *abi.Write, now store.Moment, layer string) store.Event {
	e := store.Event{Layer: layer, Remove: x.Remove, Relation: m.program.Relations[x.Relation].Name, Tuple: x.Tuple, ValidFrom: now}
	if x.ValidFrom != nil {
		e.ValidFrom = store.MomentOf(*x.ValidFrom)
	}
	if x.ValidTo != nil {
		end := store.MomentOf(*x.ValidTo)
		e.ValidTo = &end
	}
	return e
}

// resultHash identifies what events say, without their ids.
func resultHash(events []store.Event) string {
	parts := [][]byte{}
	for i := range events {
		e := &events[i]
		parts = append(parts, []byte(fmt.Sprint(e.Relation, e.Remove, e.ValidFrom, e.ValidTo == nil)))
		if e.Layer != "" {
			parts = append(parts, []byte(e.Layer))
		}
		if e.ValidTo != nil {
			parts = append(parts, []byte(fmt.Sprint(*e.ValidTo)))
		}
		for _, v := range e.Tuple {
			parts = append(parts, abi.AppendValue(nil, v))
		}
	}
	h := hash(parts...)
	return "blake3:" + hex.EncodeToString(h[:])
}

// eventID is a UUIDv7 of the call's instant with bits of its seed.
func eventID(c abi.Call, i int) [16]byte {
	h := hash([]byte("event"), c.Seed[:], []byte(fmt.Sprint(i)))
	ms := uint64(c.Now.Int*1000 + int64(c.Now.Nano)/1_000_000)
	var id [16]byte
	copy(id[:], h[:16])
	for b := 0; b < 6; b++ {
		id[b] = byte(ms >> (40 - 8*b))
	}
	id[6] = id[6]&0x0f | 0x70
	id[8] = id[8]&0x3f | 0x80
	return id
}

// headDeltas renders the changes of derived relations.
func (m *module) headDeltas(changes []abi.Change, names namer) []HeadDelta {
	out := []HeadDelta{}
	for _, c := range changes {
		r := &m.program.Relations[c.Relation]
		if r.Origin != abi.OriginConcept && r.Origin != abi.OriginRelation && r.Origin != abi.OriginDerive {
			continue
		}
		if c.Added.Rows+c.Removed.Rows == 0 {
			continue
		}
		out = append(out, HeadDelta{
			Head: m.title(c.Relation), Added: tuples(&c.Added, r.Columns, names), Removed: tuples(&c.Removed, r.Columns, names),
			AddedCount: c.Added.Rows, RemovedCount: c.Removed.Rows,
		})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Head < out[j].Head })
	return out
}

// maxDeltaTuples bounds the tuples that a derived delta lists for one head.
const maxDeltaTuples = 50

func tuples(f *abi.Frame, columns []abi.Column, names namer) [][]Cell {
	out := [][]Cell{}
	var values []abi.Value
	for i := 0; i < f.Rows && i < maxDeltaTuples; i++ {
		values = f.Row(values[:0], i)
		row := make([]Cell, len(values))
		for j, v := range values {
			row[j] = cell(v, columns[j].Type, names)
		}
		out = append(out, row)
	}
	return out
}
