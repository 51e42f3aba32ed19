package runtime

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
	"github.com/ox-mcp/ox-mcp/host/oxbin"
)

// Epistemics says what can be known of the served module: the tiers of its
// rules, what is open and why, and the standpoint lattice.
func (s *Service) Epistemics(ctx context.Context, req EpistemicsRequest) (*EpistemicsResult, error) {
	ses, refused, err := s.begin(ctx, Common{})
	if ses == nil {
		if refused == nil {
			return nil, err
		}
		return &EpistemicsResult{Envelope: *refused, Tiers: TierSummary{Rules: map[string]int{}}, Worlds: []WorldEntry{}, Standpoints: []StandpointEntry{}, Components: []ComponentEntry{}}, err
	}
	defer ses.end()
	m := ses.m
	only := (*lower.Construct)(nil)
	if req.Construct != "" {
		if only, err = findConstruct(m.schema.Constructs, SchemaRequest{Name: req.Construct}); err != nil {
			return nil, renamed(err, "construct")
		}
	}
	res := &EpistemicsResult{Tiers: m.tierSummary(only), Worlds: []WorldEntry{}, Standpoints: []StandpointEntry{}}
	res.Components, res.Strata = m.components(only)
	opens := m.opens()
	for i := range m.schema.Constructs {
		c := &m.schema.Constructs[i]
		e, ok := m.world(c, opens)
		if !ok {
			continue
		}
		if only == nil && e.World == "closed" && len(e.Across) == 0 {
			if c.Kind != "query" {
				res.Closed++
			}
			continue
		}
		if only == nil || only == c {
			res.Worlds = append(res.Worlds, e)
		}
	}
	for _, name := range m.standpoints {
		if only != nil && (only.Kind != "standpoint" || only.Name != name) {
			continue
		}
		e := StandpointEntry{Name: name, Parents: append([]string{}, m.lattice[name]...)}
		for _, f := range m.stated() {
			if f.Layer == name {
				e.Facts += f.Frame.Rows
			}
		}
		if only != nil {
			e.Sees = m.layers(name)[1:]
		}
		res.Standpoints = append(res.Standpoints, e)
	}
	res.Envelope = ses.finish()
	return res, nil
}

// renamed says of a problem with a name that it is one of another argument.
func renamed(err error, path string) error {
	if bad, ok := err.(*InvalidArguments); ok {
		for i := range bad.Problems {
			bad.Problems[i].Path = path
		}
	}
	return err
}

// heads returns the relations that the construct stands for.
func (m *module) heads(c *lower.Construct) []int {
	switch c.Kind {
	case "concept", "relation", "derive":
		return []int{c.Index}
	case "check":
		return []int{m.program.Checks[c.Index].Relation}
	}
	return nil
}

// TierLadders returns the rungs of the main tiers and of those of time, low to
// high.
func TierLadders() (main, temporal []string) {
	return slices.Clone(oxbin.MainTiers), slices.Clone(oxbin.TemporalTiers)
}

// tierSummary is of all rules, or of those of one construct.
func (m *module) tierSummary(c *lower.Construct) TierSummary {
	out := TierSummary{Highest: oxbin.MainTiers[0], Temporal: oxbin.TemporalTiers[0], Rules: map[string]int{}}
	var heads []int
	if c != nil {
		heads = m.heads(c)
	}
	main, temporal := uint8(0), uint8(0)
	for i, t := range m.artifact.Tiers {
		head := m.program.Rules[i].Head
		if c != nil && !slices.Contains(heads, head) || m.program.Relations[head].Name == lower.OpenRelation || lower.Measuring(&m.program.Relations[head]) {
			continue // they are the compiler's
		}
		out.Rules[rung(oxbin.MainTiers, t.Tier)]++
		main, temporal = max(main, t.Tier), max(temporal, t.Temporal)
	}
	out.Highest, out.Temporal = rung(oxbin.MainTiers, main), rung(oxbin.TemporalTiers, temporal)
	return out
}

func rung(ladder []string, i uint8) string {
	if int(i) < len(ladder) {
		return ladder[i]
	}
	return fmt.Sprint(i)
}

// world says what an absent tuple of the construct means; ok is false for a
// construct that has no tuples.
func (m *module) world(c *lower.Construct, opens map[int]opening) (e WorldEntry, ok bool) {
	e = WorldEntry{Name: c.Name, Kind: c.Kind, World: "closed", Across: c.Across}
	switch c.Kind {
	case "concept", "relation":
		e.Reason = "it is closed: what is absent is false"
		if m.program.Relations[c.Index].Open {
			e.World, e.Reason = "open", "it is marked #[world(open)]: what is absent and not refuted is unknown"
			if c.WorldFrom == lower.WorldOfPackage {
				e.Reason = "default_world of its package is open: what is absent and not refuted is unknown"
			}
			return e, true
		}
	case "derive", "check":
		e.Reason = "it negates nothing that is open: what is not derived is false"
	case "query":
		e.Reason = "it reads nothing that may be undefined"
		if len(c.Across) > 0 {
			e.Reason = "it joins what several standpoints say: a row that is asserted and refuted is Both"
		}
		body := m.program.Queries[c.Index].Body
		for _, r := range readsIn(m, body) {
			if r.negated && m.program.Relations[r.rel].Open {
				e.World, e.Path = "open", []string{c.Name, m.program.Relations[r.rel].Name}
				e.Reason = "it negates " + m.title(r.rel) + ", which is open"
				return e, true
			}
		}
		for _, r := range readsIn(m, body) {
			if o, open := opens[r.rel]; open {
				e.World, e.Path = "open", append([]string{c.Name}, o.path...)
				e.Reason = "it reads " + written(m.title(r.rel)) + ", of which rows may be undefined"
				return e, true
			}
		}
		return e, true
	default:
		return e, false
	}
	head := m.heads(c)[0]
	if o, open := opens[head]; open {
		e.World, e.Reason, e.Path = "open", o.reason, o.path
	}
	if tiers := m.tierSummary(c); len(tiers.Rules) > 0 {
		e.Tier = tiers.Highest
	}
	return e, true
}

const doubted = "it folds over rows that may be unknown or undefined: "

// written is a name without what marks the relation that is kept beside a fold,
// for its interval or for what is shown of it.
func written(name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(name, lower.Within), lower.Shown)
}

// opening is why rows of a derived relation may be undefined.
type opening struct {
	reason string
	path   []string // names, from the relation to what is open
}

// opens finds the derived relations of which rows may be undefined: those that
// negate something open or themselves, and, nearest first, what reads them.
func (m *module) opens() map[int]opening {
	out := map[int]opening{}
	readers := map[int][]int{}
	var queue []int
	enter := func(rel int, reason string, path []string) {
		if _, known := out[rel]; !known {
			out[rel] = opening{reason, slices.Compact(append([]string{written(m.program.Relations[rel].Name)}, path...))}
			queue = append(queue, rel)
		}
	}
	for i := range m.program.Rules {
		r := &m.program.Rules[i]
		for _, read := range readsIn(m, r.Body) {
			readers[read.rel] = append(readers[read.rel], r.Head)
			if read.negated && m.program.Relations[read.rel].Open {
				reason := fmt.Sprintf("it negates %s, which is open: %s", m.title(read.rel), m.spanText(r.Span))
				if m.doubts(r.Body) {
					reason = doubted + m.spanText(r.Span) // the negation is how what may be is found
				}
				enter(r.Head, reason, []string{m.program.Relations[read.rel].Name})
			}
		}
	}
	for i := range m.program.Rules {
		if r := &m.program.Rules[i]; m.doubts(r.Body) {
			enter(r.Head, doubted+m.spanText(r.Span), nil)
		}
	}
	for i := range m.program.Components {
		if c := &m.program.Components[i]; c.WellFounded {
			for _, rel := range c.Relations {
				if m.program.Relations[rel].Name != lower.OpenRelation {
					enter(rel, "it depends on its own negation, which may leave rows undefined", nil)
				}
			}
		}
	}
	for len(queue) > 0 {
		from := queue[0]
		queue = queue[1:]
		for _, head := range readers[from] {
			enter(head, "it reads "+written(m.title(from))+", of which rows may be undefined", out[from].path)
		}
	}
	return out
}

// read is one relation that a body reads.
type read struct {
	rel     int
	negated bool // under a negation
}

// readsIn lists what a body reads, without the conditions that lowering adds
// for what is open.
func readsIn(m *module, body []abi.Atom) []read {
	var out []read
	var walk func(body []abi.Atom, negated bool)
	walk = func(body []abi.Atom, negated bool) {
		for i := range body {
			a := &body[i]
			switch {
			case m.fromOpen(body, i), m.measures(body, i):
			case a.Op == abi.AtomScan:
				out = append(out, read{a.Rel, negated || a.Neg})
			default:
				walk(a.Body, negated || a.Op == abi.AtomExists && a.Neg)
			}
		}
	}
	walk(body, false)
	return out
}
