package runtime

import (
	"context"
	"fmt"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
)

// The tags of defeasible logic, in front of what derived a tuple: definitely
// provable, where no default clause lies below it, and else defeasibly.
const (
	tagDefinite   = "+Δ "
	tagDefeasible = "+∂ "
)

// defeatedWord begins the text of a fact of a relation of lost tuples.
const defeatedWord = "defeated "

// maxAttacks bounds the attacks that one why-not answer asks about.
const maxAttacks = 8

// strengths is how firm the rules of a program are; nil for one without
// default clauses, whose proofs need no tags.
type strengths []string // by rule

// strengthsOf finds out by relation, not by tuple: a tuple that strict clauses
// alone would give is still tagged as defeasible where a relation that its
// proof may go through has a default clause. That errs on the safe side, since
// what is definitely provable is defeasibly provable too.
func strengthsOf(p *abi.Program) strengths {
	out := make(strengths, len(p.Rules))
	soft := make([]bool, len(p.Relations))
	some := false
	for _, c := range p.Components {
		defeasible := false
		for _, r := range c.Rules {
			out[r] = tagDefinite
			rule := &p.Rules[r]
			if lower.IsDefault(p, rule) {
				out[r], some = tagDefeasible, true
			} else if readsAny(rule.Body, soft) {
				out[r] = tagDefeasible
			}
			defeasible = defeasible || out[r] == tagDefeasible
		}
		if !defeasible {
			continue
		}
		for _, rel := range c.Relations {
			soft[rel] = true
		}
		for _, r := range c.Rules { // the component reads itself
			if readsAny(p.Rules[r].Body, soft) {
				out[r] = tagDefeasible
			}
		}
	}
	if !some {
		return nil
	}
	return out
}

func (s strengths) of(rule int) string {
	if rule < 0 || rule >= len(s) {
		return ""
	}
	return s[rule]
}

// tag is the tag of what the rule derives, by itself; "" without default clauses.
func (s strengths) tag(rule int) string { return strings.TrimSpace(s.of(rule)) }

// refuted is the tag of a fact of a relation that no rule of it derives: that
// one of them might have given it defeasibly, or that all are definite. "" in a
// program without default clauses.
func (s strengths) refuted(p *abi.Program, rel int) string {
	tag := ""
	for r := range p.Rules {
		if p.Rules[r].Head != rel || r >= len(s) {
			continue
		}
		if s[r] == tagDefeasible {
			return "-∂"
		}
		tag = "-Δ"
	}
	return tag
}

func readsAny(body []abi.Atom, rels []bool) bool {
	for i := range body {
		a := &body[i]
		if a.Op == abi.AtomScan && rels[a.Rel] || readsAny(a.Body, rels) {
			return true
		}
	}
	return false
}

// defeated prints a fact of a relation of lost tuples, whose columns' texts are
// parts: "defeated fee.general(g1, _)". ok is false for other relations.
func (m *module) defeated(rel int, parts []string) (text string, ok bool) {
	d, ok := lower.DefeatedBy(&m.program.Relations[rel])
	if !ok {
		return "", false
	}
	name := shortName(d.Head)
	if i, known := m.relations[d.Head]; known {
		name = m.title(i)
	}
	if d.Label != "" {
		name += "." + d.Label
	}
	if d.Given != nil {
		all := make([]string, len(d.Given))
		for i, given := range d.Given {
			all[i] = "_"
			if given && len(parts) > 0 {
				all[i], parts = parts[0], parts[1:]
			}
		}
		parts = all
	}
	return defeatedWord + name + "(" + strings.Join(parts, ", ") + ")", true
}

func defeatKey(rel int, tuple []abi.Value) string {
	key := fmt.Appendf(nil, "%d ", rel)
	for _, v := range tuple {
		key = abi.AppendValue(key, v)
	}
	return string(key)
}

// nearMiss reports whether an attempt names a fact beside the atom that failed.
// The one tuple of a relation without columns is empty, and may stand in the
// way like any other.
func (m *module) nearMiss(rule *abi.Rule, a *abi.Attempt) bool {
	if a.Failed < 0 || a.Failed >= len(rule.Body) || rule.Body[a.Failed].Op != abi.AtomScan {
		return false
	}
	return a.NearMiss != nil || a.Reason == abi.ReasonBlocked && len(m.program.Relations[rule.Body[a.Failed].Rel].Columns) == 0
}

// attacks names, for each tuple of a why-not answer that was lost to an attack,
// the rule that attacked: ", by excluded at root.ar:26". One of which the reasoner
// gives no proof is left without; an error means that the instance is dead.
func (ses *session) attacks(ctx context.Context, in *sandbox.Instance, call abi.Call, nodes []abi.WhyNotNode) (map[string]string, error) {
	out := map[string]string{}
	asked := 0
	for i := range nodes {
		for j := range nodes[i].Attempts {
			a := &nodes[i].Attempts[j]
			rule := ses.m.rule(a.Rule)
			if rule == nil || asked == maxAttacks || !ses.m.nearMiss(rule, a) {
				continue
			}
			rel := rule.Body[a.Failed].Rel
			if _, ok := lower.DefeatedBy(&ses.m.program.Relations[rel]); !ok {
				continue
			}
			msg := abi.ExplainRequest{Call: call, Relation: rel, Tuple: a.NearMiss, MaxDepth: 1, MaxNodes: maxAttacks}
			asked++
			var resp abi.Explanation
			if err := ses.ask(ctx, in, abi.ExportExplain, &msg, &resp); dead(err) {
				return nil, err
			} else if err != nil || len(resp.Nodes) == 0 {
				continue
			}
			ses.bill(sandbox.Usage{}, resp.Work)
			if by := ses.m.rule(resp.Nodes[0].Rule); by != nil {
				out[defeatKey(rel, a.NearMiss)] = ", by " + clauseName(by) + " at " + ses.m.spanText(by.Span)
			}
		}
	}
	return out, nil
}

// clauseName is the short name of a rule, with its label.
func clauseName(r *abi.Rule) string {
	if r.Label != "" {
		return shortName(r.Name) + "." + r.Label
	}
	return shortName(r.Name)
}
