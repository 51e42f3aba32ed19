package syntax

// ModalAtom is box(atoms) or diamond(atoms): necessarily, possibly.
type ModalAtom struct {
	Span
	Word string // box or diamond
	Body []Atom
}

// MetricAtom is box_minus[a, b](atoms), another of the operators over time, or
// left since[a, b] right.
type MetricAtom struct {
	Span
	Word string // box_plus, box_minus, diamond_plus, diamond_minus, since or until
	// From and To are the least and the largest distance; To is -1 for `*`.
	From, To int64
	Ranged   bool   // a range is written; otherwise it is [0, *]
	Left     []Atom // of since and until: what holds meanwhile, one atom
	Body     []Atom // of since and until: one atom
}

func (*ModalAtom) atom()  {}
func (*MetricAtom) atom() {}
