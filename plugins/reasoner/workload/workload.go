package workload

// Facts are the tuples of one base relation, row by row.
type Facts struct {
	Relation string
	Arity    int
	Rows     []int64
}

func (f *Facts) add(row ...int64) { f.Rows = append(f.Rows, row...) }

// Workload is a program with facts and a question: all tuples of Ask.
type Workload struct {
	Name   string
	About  string
	Rules  string
	Ask    string
	Tuples uint64 // of Ask; undefined ones count
	Facts  []Facts
}

// The workloads by name, with what makes each.
var makers = []struct {
	name string
	make func() Workload
}{
	{"w1s", func() Workload { return closure("random graph of 1,060 nodes, 3 edges a node", randomGraph(1060, 3)) }},
	{"w1l", func() Workload { return closure("random graph of 2,370 nodes, 3 edges a node", randomGraph(2370, 3)) }},
	{"w1d", func() Workload {
		return closure("long thin acyclic graph of 40,000 nodes and 46,000 edges", thinGraph(580, 6_560))
	}},
	{"w2", sameGeneration},
	{"w3s", func() Workload { return pointsTo(12_000) }},
	{"w3l", func() Workload { return pointsTo(120_000) }},
	{"w4a", func() Workload {
		return winMove("100,000 positions, up to 2 moves each, none drawn", game(100_000, 2, true))
	}},
	{"w4b", func() Workload {
		return winMove("100,000 positions, 4 moves each, most drawn", game(100_000, 4, false))
	}},
	{"w4c", func() Workload { return winMove("a path of 20,000 positions", path(20_000)) }},
	{"w4C", func() Workload { return winMove("a path of 200,000 positions", path(200_000)) }},
	{"w5", func() Workload { return completion(20_000, 20_000, 1) }},
	{"w7", func() Workload { return triangles("30,000 nodes, 20 of which most edges meet at", hubs(30_000)) }},
}

// Names lists the workloads.
func Names() (out []string) {
	for _, m := range makers {
		out = append(out, m.name)
	}
	return out
}

// Named makes the workload of a name, or of the name of a family with a size
// (see Families); ok is false where there is none.
func Named(name string) (w Workload, ok bool) {
	for _, m := range makers {
		if m.name == name {
			w = m.make()
			w.Name = name
			w.Tuples = sizes[name]
			return w, true
		}
	}
	return grown(name)
}

// sizes are the numbers of tuples of the answers, on which the engines that
// were compared agree.
var sizes = map[string]uint64{
	"w1s": 994_879, "w1l": 4_993_003, "w1d": 1_360_680, "w2": 1_396_054, "w3s": 121_807, "w3l": 1_414_393,
	"w4a": 50_016, "w4b": 97_997, "w4c": 10_000, "w4C": 100_000, "w5": 437_489, "w7": 140_797,
}
