package engine

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
)

// What is denied or folded must be complete before that is read. So the relations
// of a demand are put on levels, a component each: what a rule denies or folds
// lies below what it derives, and nothing that it reads above that.
//
// That cannot be where keys come from what the answers to them decide, as those
// of blocked in
//
//	way(x, z) :- way(x, y), not blocked(y), edge(y, z)
//
// do: they are the ends of ways. There an atom that only tests is left out of
// what asks, which asks for more; and where an answer itself closes the circle,
// the relation that is denied or folded is evaluated whole.

// maxLevels is how many levels a demand may have: each is looked at in turn, and
// a long chain of denials would cost its square.
const maxLevels = 64

// level finds the level of each relation. settled is false where there are none
// before some atom asks no more, or some relation is read whole: it has noted
// which.
func (d *demand) level() (settled bool) {
	d.levels = make([]int, len(d.e.rels)-d.rels)
	for changed := true; changed; {
		changed = false
		for _, r := range slices.Backward(d.rules) { // what is asked later is mostly read by what was asked before
			head := &d.levels[r.rule.Head-d.rels]
			at := *head
			for i := range r.rule.Body {
				d.reads(&r.rule.Body[i], false, func(rel int, guarded bool) {
					below := d.levels[rel-d.rels]
					if guarded {
						below++
					}
					at = max(at, below)
				})
			}
			if at > len(d.levels) {
				d.breakCircles()
				return false
			}
			if at > *head {
				*head, changed = at, true
			}
		}
	}
	return true
}

// reads calls each with the relations of the demand that an atom reads, and
// whether under a negation or in a fold.
func (d *demand) reads(a *abi.Atom, guarded bool, each func(rel int, guarded bool)) {
	guarded = guarded || a.Neg || a.Op == abi.AtomFold
	if a.Op == abi.AtomScan && a.Rel >= d.rels {
		each(a.Rel, guarded)
	}
	for i := range a.Body {
		d.reads(&a.Body[i], guarded, each)
	}
}

// breakCircles notes the tests that are to ask no more. If it is none of these
// that close the circles, it notes the relations that are to be read whole.
func (d *demand) breakCircles() {
	on := d.dependencies()
	tests := len(d.untested)
	whole := map[int]bool{}
	for _, r := range d.rules {
		for i := range r.rule.Body {
			d.reads(&r.rule.Body[i], false, func(rel int, guarded bool) {
				switch {
				case !guarded || !on[rel-d.rels][r.rule.Head-d.rels]:
				case r.tests != nil && r.tests[i] != nil:
					d.untested[r.tests[i]] = true
				default:
					whole[rel] = true
				}
			})
		}
	}
	if len(d.untested) > tests {
		return
	}
	for _, x := range d.order {
		if whole[d.asked[x].answers] {
			d.whole[x.rel] = true
		}
	}
}

// dependencies returns, for each relation of the demand that is denied or folded,
// which ones it rests on.
func (d *demand) dependencies() [][]bool {
	n := len(d.levels)
	reads, guarded := make([][]int, n), make([]bool, n)
	for _, r := range d.rules {
		head := r.rule.Head - d.rels
		for i := range r.rule.Body {
			d.reads(&r.rule.Body[i], false, func(rel int, under bool) {
				reads[head] = append(reads[head], rel-d.rels)
				guarded[rel-d.rels] = guarded[rel-d.rels] || under
			})
		}
	}
	on := make([][]bool, n)
	for from := range on {
		if !guarded[from] {
			continue
		}
		on[from] = make([]bool, n)
		for work := []int{from}; len(work) > 0; {
			at := work[len(work)-1]
			work = work[:len(work)-1]
			for _, to := range reads[at] {
				if !on[from][to] {
					on[from][to] = true
					work = append(work, to)
				}
			}
		}
	}
	return on
}
