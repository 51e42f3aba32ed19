package overtime

import (
	"fmt"

	"github.com/ox-mcp/ox-mcp/abi"
)

// maxProofs is how many proofs of what must not hold are looked at.
const maxProofs = 24

// premise is an atom of a proof that looks for facts: what it finds, of which nil
// is any.
type premise struct {
	relation int
	pattern  []*abi.Value
	negated  bool
}

// proof is how something holds on some days.
type proof struct {
	key      string
	premises []premise
	days     Days
}

// premises adds to a list of proofs that of a solution of a body, on the days of
// when. One by the same facts on other days is the same.
func premises(p *abi.Program, body []abi.Atom, values []*abi.Value, when Days, list []proof) []proof {
	out := proof{days: when}
	timed := when != Days{}
	for i := range body {
		a := &body[i]
		if a.Op != abi.AtomScan {
			continue
		}
		one := premise{relation: a.Rel, pattern: Scanned(p, a, values), negated: a.Neg}
		about := one.pattern
		if timed {
			about = about[:len(about)-2] // without the days
		}
		out.key += fmt.Sprintf("%t %s|", a.Neg, Key(a.Rel, about))
		out.premises = append(out.premises, one)
	}
	for i := range list {
		if list[i].key == out.key {
			list[i].days = Days{min(list[i].days.From, when.From), max(list[i].days.To, when.To)}
			return list
		}
	}
	return append(list, out)
}

// without returns ways to leave each proof without one of its premises; waysOf are
// those for one premise, on the days of the proof.
func (d *Search) without(list []proof, waysOf func(p *premise, during Days) ([]Way, error)) ([]Way, error) {
	if len(list) > maxProofs {
		return nil, nil
	}
	out := []Way{{}}
	for i := range list {
		var ways []Way
		for k := range list[i].premises {
			found, err := waysOf(&list[i].premises[k], list[i].days)
			if err != nil {
				return nil, err
			}
			ways = append(ways, found...)
		}
		if out = both(out, leastWays(ways), d.Most); out == nil {
			return nil, nil
		}
	}
	return out, nil
}
