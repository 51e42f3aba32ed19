package types

import "github.com/ox-mcp/ox-mcp/abi"

// Pool interns constants. A Pool with a base continues it without changing it.
type Pool struct {
	Values []abi.Value
	index  map[string]int
	base   *Pool
	keys   []string // of a Pool that is apart: those of Values
	first  int      // the number of Values[0]
}

// firstApart is the number of the first own constant of a Pool that is apart:
// no other Pool has as many.
const firstApart = 1 << 30

// Add returns the index of v.
func (p *Pool) Add(v abi.Value) int { return p.add(string(abi.AppendValue(nil, v)), v) }

func (p *Pool) add(key string, v abi.Value) int {
	for q := p; q != nil; q = q.base {
		if i, ok := q.index[key]; ok {
			return i
		}
	}
	if p.index == nil {
		p.index = map[string]int{}
	}
	i := p.first + len(p.Values)
	p.Values = append(p.Values, v)
	p.index[key] = i
	if p.first > 0 {
		p.keys = append(p.keys, key)
	}
	return i
}

// Value returns the constant of an index; ok is false if there is none.
func (p *Pool) Value(i int) (v abi.Value, ok bool) {
	if i < p.first {
		return p.base.Value(i)
	}
	if i -= p.first; i >= len(p.Values) {
		return v, false
	}
	return p.Values[i], true
}

// Extend returns a pool whose first indexes are those of p.
func (p *Pool) Extend() Pool {
	return Pool{Values: p.Values[:len(p.Values):len(p.Values)], base: p, first: p.first, keys: p.keys[:len(p.keys):len(p.keys)]}
}

// Apart returns a pool that continues p and numbers its own constants far from
// those of p, so that several can.
func (p *Pool) Apart() Pool { return Pool{base: p, first: firstApart} }

// Cut takes the constants of a pool that is apart back, from the n-th of its own
// on.
func (p *Pool) Cut(n int) {
	for _, key := range p.keys[n:] {
		delete(p.index, key)
	}
	p.Values, p.keys = p.Values[:n], p.keys[:n]
}

// Adopted are the indexes, in the Pool that took them over, of the own constants
// of a pool that is apart.
type Adopted []int

// Of returns the index of a constant that had the index i.
func (a Adopted) Of(i int) int {
	if i >= firstApart {
		return a[i-firstApart]
	}
	return i
}

// Adopt adds the own constants of a pool that is apart from p.
func (p *Pool) Adopt(x *Pool) Adopted {
	indexes := make(Adopted, len(x.Values))
	for i, v := range x.Values {
		indexes[i] = p.add(x.keys[i], v)
	}
	return indexes
}
