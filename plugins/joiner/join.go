package main

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/internal/guest"
)

// joiner holds one program and the tuples of its base relations. Tuples are
// kept as values, and told apart by their encoding: a page of code, not speed,
// is the point here.
type joiner struct {
	loaded  bool
	program abi.Program
	extents []extent // parallel to the program's relations
}

type (
	tuple  []abi.Value
	extent map[string]tuple // by encoding
)

func (t tuple) key() string {
	var b []byte
	for _, v := range t {
		b = abi.AppendValue(b, v)
	}
	return string(b)
}

func description() *abi.Description {
	return &abi.Description{ABI: abi.Version, World: abi.WorldReasoner, Name: "joiner", Version: abi.Version}
}

func (j *joiner) load(q *abi.LoadRequest) (*abi.LoadResponse, *abi.Failure) {
	if j.loaded {
		return nil, guest.Refuse(abi.FailureState, "a program is loaded already: load is for a fresh instance")
	}
	if err := q.Program.Validate(); err != nil {
		return nil, guest.Refuse(abi.FailureRequest, err.Error())
	}
	if !isJoin(&q.Program) {
		return nil, guest.Refuse(abi.FailureRequest, "the joiner takes one rule whose body is two positive scans of base relations that bind its head: use another build")
	}
	j.loaded, j.program = true, q.Program
	for range q.Program.Relations {
		j.extents = append(j.extents, extent{})
	}
	return &abi.LoadResponse{}, nil
}

func isJoin(p *abi.Program) bool {
	if len(p.Rules) != 1 || len(p.Rules[0].Body) != 2 {
		return false
	}
	for _, a := range p.Rules[0].Body {
		if a.Op != abi.AtomScan || a.Neg || p.Relations[a.Rel].Role != abi.Base {
			return false
		}
	}
	for _, a := range p.Rules[0].Args {
		if a.Op == abi.ArgSlot && !reads(&p.Rules[0].Body[0], a.Index) && !reads(&p.Rules[0].Body[1], a.Index) {
			return false
		}
	}
	return true
}

func (j *joiner) assert(q *abi.AssertRequest) (*abi.AssertResponse, *abi.Failure) {
	var r abi.AssertResponse
	for i := range q.Deltas {
		d := &q.Deltas[i]
		if failure := j.accepts(d.Relation, abi.Base); failure != nil {
			return nil, failure
		}
		if len(d.Frame.Columns) != len(j.program.Relations[d.Relation].Columns) {
			return nil, guest.Refuse(abi.FailureRequest, "the frame has another number of columns than its relation")
		}
		e := j.extents[d.Relation]
		for row := range d.Frame.Rows {
			t := tuple(d.Frame.Row(nil, row))
			key := t.key()
			_, there := e[key]
			switch {
			case d.Remove && there:
				delete(e, key)
				r.Removed++
			case !d.Remove && !there:
				e[key] = t
				r.Added++
			}
		}
	}
	return &r, nil
}

func (j *joiner) accepts(relation int, role abi.Role) *abi.Failure {
	switch {
	case !j.loaded:
		return guest.Refuse(abi.FailureState, "no program is loaded: call load first")
	case relation < 0 || relation >= len(j.program.Relations):
		return guest.Refuse(abi.FailureRequest, "no such relation in the program")
	case role == abi.Base && j.program.Relations[relation].Role != abi.Base:
		return guest.Refuse(abi.FailureRequest, "the relation is derived: only base relations are asserted")
	}
	return nil
}

// derive gives the rows of a relation in the order of their values.
func (j *joiner) derive(q *abi.DeriveRequest) (*abi.Rows, *abi.Failure) {
	if failure := j.accepts(q.Relation, abi.Derived); failure != nil {
		return nil, failure
	}
	e, work := j.extents[q.Relation], abi.Work{}
	if q.Relation == j.program.Rules[0].Head {
		e = j.join()
		work = abi.Work{Rounds: 1, Derived: uint64(len(e))}
		if most := q.Call.Limits.Derived; most > 0 && work.Derived > most {
			return nil, &abi.Failure{
				Code: abi.FailureLimit, Message: "more tuples than the call may derive",
				Limit: &abi.Breach{Limit: abi.LimitDerived, Allowed: most, Used: work.Derived},
				Rule:  0,
			}
		}
	}
	rows := make([]tuple, 0, len(e))
	for _, t := range e {
		rows = append(rows, t)
	}
	compare := func(a, b tuple) int { return slices.CompareFunc(a, b, abi.Compare) }
	slices.SortFunc(rows, compare)

	out := abi.Rows{Total: uint64(len(rows)), Work: work}
	if q.Page.After != nil {
		at, found := slices.BinarySearchFunc(rows, tuple(q.Page.After), compare)
		if found {
			at++
		}
		rows = rows[at:]
	}
	if q.Page.Limit > 0 && uint64(len(rows)) > q.Page.Limit {
		rows, out.More = rows[:q.Page.Limit], true
	}
	b := abi.FrameBuilder{Arity: len(j.program.Relations[q.Relation].Columns)}
	for _, t := range rows {
		b.Add(t)
	}
	out.Frame = b.Frame()
	for range rows {
		out.Frame.Truth = append(out.Frame.Truth, abi.Is)
	}
	return &out, nil
}

// join evaluates the rule by a hash join on the slots that both atoms share.
func (j *joiner) join() extent {
	rule := &j.program.Rules[0]
	left, right := &rule.Body[0], &rule.Body[1]
	var shared []int
	for slot := range rule.Slots {
		if reads(left, slot) && reads(right, slot) {
			shared = append(shared, slot)
		}
	}
	buckets := map[string][]tuple{} // bindings of the left atom, by shared slots
	for _, t := range j.extents[left.Rel] {
		if binding, ok := j.match(left, t, make(tuple, len(rule.Slots)), make([]bool, len(rule.Slots))); ok {
			key := project(binding, shared).key()
			buckets[key] = append(buckets[key], binding)
		}
	}
	out := extent{}
	for _, t := range j.extents[right.Rel] {
		binding, ok := j.match(right, t, make(tuple, len(rule.Slots)), make([]bool, len(rule.Slots)))
		if !ok {
			continue
		}
		for _, other := range buckets[project(binding, shared).key()] {
			head := make(tuple, len(rule.Args))
			for i, a := range rule.Args {
				switch {
				case a.Op == abi.ArgConst:
					head[i] = j.program.Constants[a.Index]
				case reads(left, a.Index):
					head[i] = other[a.Index]
				default:
					head[i] = binding[a.Index]
				}
			}
			out[head.key()] = head
		}
	}
	return out
}

// match binds the slots of an atom to a tuple, if constants and repeated
// slots agree.
func (j *joiner) match(a *abi.Atom, t, binding tuple, bound []bool) (tuple, bool) {
	for i, arg := range a.Args {
		switch arg.Op {
		case abi.ArgConst:
			if !abi.Equal(j.program.Constants[arg.Index], t[i]) {
				return nil, false
			}
		case abi.ArgSlot:
			if bound[arg.Index] && !abi.Equal(binding[arg.Index], t[i]) {
				return nil, false
			}
			binding[arg.Index], bound[arg.Index] = t[i], true
		}
	}
	return binding, true
}

func reads(a *abi.Atom, slot int) bool {
	return slices.Contains(a.Args, abi.Arg{Op: abi.ArgSlot, Index: slot})
}

func project(binding tuple, slots []int) tuple {
	out := make(tuple, len(slots))
	for i, s := range slots {
		out[i] = binding[s]
	}
	return out
}
