package workload

import (
	"strconv"
	"strings"
)

// The families are workloads of any number of facts, whose answers grow as the
// facts do: what a family costs at ten times the facts shows how the reasoner
// grows.
var families = []struct {
	name string
	make func(facts int64) Workload
}{
	{"thin", func(n int64) Workload {
		return closure("paths of 69 nodes with short cuts", thinGraph(n/79, n*11/79))
	}},
	{"points", func(n int64) Workload { return pointsTo(n * 2 / 3) }},
	{"moves", func(n int64) Workload {
		return winMove("up to 2 moves a position, none drawn", game(n, 2, true))
	}},
	{"drawn", func(n int64) Workload { return winMove("4 moves a position, most drawn", game(n*51/200, 4, false)) }},
	{"path", func(n int64) Workload { return winMove("a path", path(n+1)) }},
	{"classes", func(n int64) Workload { return completion(n*2/5, 500, 4) }},
	{"hubs", func(n int64) Workload { return triangles("most edges meet at 20 nodes", hubs((n-200)/4+20)) }},
}

// Families lists the families. The workload of a family with n thousand facts,
// or nearly so many, has the name family@n.
func Families() (out []string) {
	for _, f := range families {
		out = append(out, f.name)
	}
	return out
}

// MaxThousands bounds the facts of a family's workload, in thousands.
const MaxThousands = 10_000

// grown makes the workload of a name such as thin@100. How many tuples answer
// it is not known.
func grown(name string) (Workload, bool) {
	family, size, ok := strings.Cut(name, "@")
	n, err := strconv.ParseInt(size, 10, 64)
	if !ok || err != nil || n < 1 || n > MaxThousands {
		return Workload{}, false
	}
	for _, f := range families {
		if f.name == family {
			w := f.make(1000 * n)
			w.Name = name
			return w, true
		}
	}
	return Workload{}, false
}

// Count returns the number of facts.
func (w *Workload) Count() (n int) {
	for i := range w.Facts {
		n += len(w.Facts[i].Rows) / w.Facts[i].Arity
	}
	return n
}
