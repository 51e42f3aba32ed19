package lower

import (
	"maps"
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/types"
)

// The catalog is what is declared, as tuples: a program that reads a relation
// of it has those tuples as declared facts, each at the place of its declaration.

// catalogTuples calls add for each tuple of the catalog's relation name. Of
// the standard packages it says only what is asked about by name: a rule that
// goes through the declarations means those of the package and its dependencies.
func (b *builder) catalogTuples(name string, add func(at diag.Place, tuple ...abi.Value)) {
	env := b.env
	ref := abi.TypeValue
	own := func(sym *resolve.Symbol) bool { return sym.Module.Package != env.World.Std }
	switch name {
	case types.CatalogSub:
		for _, c := range env.ConceptList {
			if own(c.Symbol) {
				for _, up := range append([]*types.Concept{c}, ancestors(c)...) {
					add(c.Symbol.Place, ref(c.Name), ref(up.Name))
				}
				add(c.Symbol.Place, ref(c.Name), ref("Top"))
			}
		}
		for _, r := range env.RelList {
			if own(r.Symbol) {
				for _, up := range relationsAbove(r) {
					add(r.Symbol.Place, ref(r.Name), ref(up.Name))
				}
				add(r.Symbol.Place, ref(r.Name), ref("Top"))
			}
		}
	case types.CatalogMeta:
		for _, c := range env.ConceptList {
			if c.Meta != nil {
				add(c.Symbol.Place, ref(c.Name), ref(c.Meta.Name))
			}
		}
		for _, r := range env.RelList {
			if r.Meta != nil {
				add(r.Symbol.Place, ref(r.Name), ref(r.Meta.Name))
			}
		}
	case types.CatalogRel:
		for _, r := range env.RelList {
			if r.Meta != nil && own(r.Symbol) {
				add(r.Symbol.Place, ref(r.Name), ref(r.Meta.Name))
			}
		}
	case types.CatalogArm:
		for _, r := range env.RelList {
			for i, c := range r.Columns {
				if name := endpoint(c.Type); own(r.Symbol) && name != "" {
					add(r.Symbol.Place, ref(r.Name), abi.IntValue(int64(i)), ref(name))
				}
			}
		}
	case types.CatalogImplements:
		env.Implementing(func(c *types.Concept, trait *resolve.Symbol) {
			add(c.Symbol.Place, ref(c.Name), ref(trait.Qualified))
		})
	case types.CatalogMetas:
		for _, m := range env.MetaList {
			add(m.Symbol.Place, ref(m.Name))
		}
	default:
		if axis := env.Axes[strings.TrimPrefix(name, types.CatalogAxis)]; axis != nil {
			b.axisTuples(axis, add)
		}
		if axis := env.Axes[strings.TrimPrefix(name, types.CatalogRank)]; axis != nil {
			b.axisTuples(axis, func(at diag.Place, tuple ...abi.Value) {
				add(at, tuple[0], abi.IntValue(int64(axis.Rank(tuple[1]))))
			})
		}
	}
}

// axisTuples gives what each metatype and metarel says on the axis, and each
// concept and relation: its own word, or that of what introduced it.
func (b *builder) axisTuples(axis *types.Axis, add func(at diag.Place, tuple ...abi.Value)) {
	one := func(sym *resolve.Symbol, own map[*types.Axis]types.AxisValue, meta *types.Meta) {
		v, ok := own[axis]
		if !ok && meta != nil {
			v, ok = meta.Axes[axis]
		}
		if ok {
			at := diag.Place{Path: v.Module.Source.Path, Start: v.Span.Start, End: v.Span.End}
			add(at, abi.TypeValue(sym.Qualified), v.Value)
		}
	}
	for _, m := range b.env.MetaList {
		one(m.Symbol, m.Axes, nil)
	}
	for _, c := range b.env.ConceptList {
		one(c.Symbol, c.Axes, c.Meta)
	}
	for _, r := range b.env.RelList {
		one(r.Symbol, r.Axes, r.Meta)
	}
}

// endpoint is the name of an endpoint's type as a reference.
func endpoint(t abi.Type) string {
	switch t.Op {
	case abi.TypeTop:
		return "Top"
	case abi.TypeOption, abi.TypeList, abi.TypeSet:
		return endpoint(t.Args[0])
	case abi.TypeConcept, abi.TypeStruct, abi.TypeEnum:
		return t.Name
	}
	return types.Print(t)
}

// relationsAbove returns r and what is above it, nearest first.
func relationsAbove(r *types.Relation) []*types.Relation {
	list := []*types.Relation{r}
	for i := 0; i < len(list); i++ {
		for _, up := range list[i].Supers {
			if !slices.Contains(list, up) {
				list = append(list, up)
			}
		}
	}
	return list
}

// catalog returns the relations of the catalog from index first on that the
// program reads, in order.
func (b *builder) catalog(first int) []int {
	var list []int
	for _, rel := range slices.Sorted(maps.Values(b.env.Catalog)) {
		if rel >= first {
			list = append(list, rel)
		}
	}
	return list
}

// catalogFacts makes the catalog that the program reads its declared facts.
func (b *builder) catalogFacts() {
	for _, rel := range b.catalog(0) {
		if b.membership(rel) {
			continue
		}
		b.catalogTuples(b.env.Relations[rel].Name, func(at diag.Place, tuple ...abi.Value) {
			b.env.Facts = append(b.env.Facts, types.Fact{Relation: rel, Tuple: tuple, Place: at})
		})
	}
}

// catalogRules makes the catalog that only an extension reads, which has no
// facts of its own, rules.
func (b *builder) catalogRules(first int) {
	for _, rel := range b.catalog(first) {
		if b.membership(rel) {
			continue
		}
		r := &b.env.Relations[rel]
		r.Role, r.Asserted = abi.Derived, -1
		b.catalogTuples(r.Name, func(_ diag.Place, tuple ...abi.Value) {
			rule := abi.Rule{Name: r.Name, Head: rel}
			for _, v := range tuple {
				rule.Args = append(rule.Args, abi.Arg{Op: abi.ArgConst, Index: b.env.Constants.Add(v)})
			}
			b.rule(rule)
		})
	}
}

// membership adds the rules of the membership relation, one for each concept; ok
// is false if rel is another relation.
func (b *builder) membership(rel int) (ok bool) {
	r := &b.env.Relations[rel]
	if r.Name != types.CatalogIof && r.Name != types.CatalogIofTypes {
		return false
	}
	for _, c := range b.env.ConceptList {
		if r.Name == types.CatalogIofTypes && !b.env.Higher(c) {
			continue // no type can get into it
		}
		span := b.env.Relations[c.Rel].Span
		b.rule(abi.Rule{
			Name: "iof", Head: rel, Slots: []abi.Slot{{Name: "member", Type: c.Type()}}, Span: span,
			Args: []abi.Arg{slotArg(0), {Op: abi.ArgConst, Index: b.env.Constants.Add(abi.TypeValue(c.Name))}},
			Body: []abi.Atom{{Op: abi.AtomScan, Rel: c.Rel, Args: []abi.Arg{slotArg(0)}, Span: span}},
		})
	}
	return true
}

// refersAnyway takes from filters those that only say that a value is a
// reference, where what the body reads it from holds nothing else.
func (b *builder) refersAnyway(filters, body []abi.Atom) []abi.Atom {
	return slices.DeleteFunc(filters, func(a abi.Atom) bool {
		return a.Op == abi.AtomIs && types.IsRef(*a.Type) && b.fits(*a.Type, body, a.Slot)
	})
}
