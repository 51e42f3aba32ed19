package lower

import (
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/types"
)

// viewKey names a total view: the relation of the field, and what else than
// the members of its concept the view has rows for. Nil: nothing else.
type viewKey struct {
	field int
	wide  *types.Concept
	all   bool // whatever is in any concept
}

// totalView returns the view of a concept's field that has a row for every
// member, and for whatever is of the type of: the value, or none.
func (b *builder) totalView(field int, of abi.Type) (int, bool) {
	f := b.env.Relations[field]
	if len(f.Columns) != 2 || len(f.Key) != 1 || f.Columns[0].Type.Op != abi.TypeConcept {
		return 0, false
	}
	c := b.env.Concepts[f.Columns[0].Type.Name]
	if c == nil {
		return 0, false
	}
	if of.Op == abi.TypeOption {
		of = of.Args[0]
	}
	key := viewKey{field: field}
	var wide []*types.Concept
	switch known := b.env.Concepts[of.Name]; {
	case of.Op == abi.TypeConcept && known != nil:
		if !known.Is(c) {
			key.wide, wide = known, []*types.Concept{known}
		}
	default:
		key.all = true
		wide = slices.DeleteFunc(slices.Clone(b.env.ConceptList), func(top *types.Concept) bool { return len(top.Supers) > 0 || c == top })
	}
	if v, ok := b.views[key]; ok {
		return v, true
	}
	if b.spoils() {
		return 0, true
	}
	name := f.Name + "?"
	if key.wide != nil {
		name += "[" + key.wide.Name + "]"
	} else if key.all {
		name += "[]"
	}
	view := b.relation(abi.Relation{
		Name: name, Role: abi.Derived, Origin: abi.OriginAux, Span: f.Span,
		Columns: []abi.Column{f.Columns[0], {Name: f.Columns[1].Name, Type: types.Option(f.Columns[1].Type)}},
	})
	b.views[key] = view
	// None has no fields, so that a chain of reads may end in the middle.
	slots := []abi.Slot{{Name: "self", Type: f.Columns[0].Type}, {Name: f.Columns[1].Name, Type: f.Columns[1].Type}}
	none := abi.Arg{Op: abi.ArgConst, Index: b.env.Constants.Add(abi.NoneValue())}
	b.rule(abi.Rule{
		Name: name, Head: view, Args: []abi.Arg{slotArg(0), slotArg(1)}, Slots: slots, Span: f.Span,
		Body: []abi.Atom{{Op: abi.AtomScan, Rel: field, Args: []abi.Arg{slotArg(0), slotArg(1)}, Span: f.Span}},
	})
	b.rule(abi.Rule{
		Name: name, Head: view, Args: []abi.Arg{none, none}, Span: f.Span,
	})
	for _, in := range append([]*types.Concept{c}, wide...) {
		b.rule(abi.Rule{
			Name: name, Head: view, Args: []abi.Arg{slotArg(0), none}, Slots: slots[:1], Span: f.Span,
			Body: []abi.Atom{
				{Op: abi.AtomScan, Rel: in.Rel, Args: []abi.Arg{slotArg(0)}, Span: f.Span},
				{Op: abi.AtomScan, Rel: field, Neg: true, Args: []abi.Arg{slotArg(0), {}}, Span: f.Span},
			},
		})
	}
	return view, true
}

// known notes what is known of the slot from of the slot to, which stands for
// it.
func (h *hoist) known(to, from int) {
	t := (*h.slots)[from].Type
	if old := &(*h.slots)[to].Type; t.Op == abi.TypeConcept && (old.Op == abi.TypeTop || old.Op == abi.TypeConcept) {
		*old = t
	}
}

// typeOf is what is known of the type of x.
func (h *hoist) typeOf(x abi.Expr) abi.Type {
	switch x.Op {
	case abi.ExprSlot:
		return (*h.slots)[x.Index].Type
	case abi.ExprRead:
		if cols := h.b.env.Relations[x.Index].Columns; len(x.Args) < len(cols) {
			return cols[len(x.Args)].Type
		}
	}
	return types.Top
}

// receiver is what is known of the type of what x is a field of.
func (h *hoist) receiver(x abi.Expr) abi.Type {
	if len(x.Args) == 0 {
		return types.Top
	}
	return h.typeOf(x.Args[0])
}
