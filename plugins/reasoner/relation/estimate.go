package relation

import (
	"math"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
)

// estimate is what was found of the distinct keys in some columns.
type estimate struct {
	on     []int
	rows   int // of the relation then
	fanout float64
}

// sampleRows is how many rows an estimate looks at.
const sampleRows = 512

// Fanout estimates how many rows share their terms in the columns, on average:
// from an index on them, else from a sample. It is looked at again when the
// relation has doubled.
func (r *Relation) Fanout(on []int) float64 {
	for _, x := range r.indexes {
		if x.used > 0 && x.count > r.rows/2 && slices.Equal(x.on, on) {
			return float64(x.count) / float64(x.used)
		}
	}
	if r.rows == 0 {
		return 0
	}
	for i := range r.estimates {
		e := &r.estimates[i]
		if slices.Equal(e.on, on) {
			if r.rows > 2*e.rows {
				e.rows, e.fanout = r.rows, r.sample(on)
			}
			return e.fanout
		}
	}
	f := r.sample(on)
	r.estimates = append(r.estimates, estimate{slices.Clone(on), r.rows, f})
	return f
}

// sample estimates the fan-out from rows spread evenly over the relation.
func (r *Relation) sample(on []int) float64 {
	n := min(r.rows, sampleRows)
	cols := make([][]abi.Term, len(on))
	for i, c := range on {
		cols[i] = make([]abi.Term, n)
		for k := range n {
			cols[i][k] = r.cols[c][k*r.rows/n]
		}
	}
	seen := float64(New(len(on)).InsertBatch(cols, n))
	if n == r.rows {
		return float64(n) / seen
	}
	return float64(r.rows) / distinct(seen, float64(n), float64(r.rows))
}

// distinct returns how many equally frequent values there are, at most most,
// if n draws show seen of them: the d for which d(1-e^(-n/d)) is seen.
func distinct(seen, n, most float64) float64 {
	low, high := seen, most
	for range 40 {
		d := (low + high) / 2
		if d*(1-math.Exp(-n/d)) < seen {
			low = d
		} else {
			high = d
		}
	}
	return high
}
