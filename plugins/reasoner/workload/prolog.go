package workload

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// tnot is negation under the well-founded semantics, of a tabled predicate.
var tnot = regexp.MustCompile(`not (\w+\([^)]*\))`)

// Prolog is the workload as a program of tabled Prolog, with its facts, that
// prints the number of answers and ends.
func (w *Workload) Prolog() []byte {
	var b bytes.Buffer
	arity := map[string]int{}
	ask := 0
	for _, r := range parse(w.Rules) {
		arity[r.head.pred] = len(r.head.args)
		if r.head.pred == w.Ask {
			ask = len(r.head.args)
		}
	}
	for _, r := range parse(w.Rules) { // in the order of the rules
		if n := arity[r.head.pred]; n > 0 {
			fmt.Fprintf(&b, ":- table %s/%d.\n", r.head.pred, n)
			arity[r.head.pred] = 0
		}
	}
	b.WriteString(tnot.ReplaceAllString(strings.ReplaceAll(w.Rules, "!=", "\\=="), "tnot($1)"))
	w.facts(&b)
	vars := strings.TrimSuffix(strings.Repeat("_,", ask), ",")
	fmt.Fprintf(&b, ":- initialization((aggregate_all(count, %s(%s), N), print(N), nl, halt)).\n", w.Ask, vars)
	return b.Bytes()
}

// ASP is the workload as a logic program under stable models, with its facts,
// that shows the number of answers: the same question only where nothing is
// undefined.
func (w *Workload) ASP() []byte {
	var b bytes.Buffer
	b.WriteString(w.Rules)
	w.facts(&b)
	b.WriteString("#show.\n")
	return b.Bytes()
}

func (w *Workload) facts(b *bytes.Buffer) {
	for _, f := range w.Facts {
		for i := 0; i < len(f.Rows); i += f.Arity {
			b.WriteString(f.Relation)
			b.WriteByte('(')
			for c := range f.Arity {
				if c > 0 {
					b.WriteByte(',')
				}
				b.WriteString(strconv.FormatInt(f.Rows[i+c], 10))
			}
			b.WriteString(").\n")
		}
	}
}

// CSV is one of the workload's facts as comma-separated values.
func (f *Facts) CSV() []byte {
	var b bytes.Buffer
	for i, v := range f.Rows {
		b.WriteString(strconv.FormatInt(v, 10))
		if i%f.Arity == f.Arity-1 {
			b.WriteByte('\n')
		} else {
			b.WriteByte(',')
		}
	}
	return b.Bytes()
}
