package syntax

// Metaxis is a meta axis: `metaxis name for targets` and its values, which are
// names without an order, a chain of names from the least to the greatest, or
// the values of a type that satisfy a predicate.
type Metaxis struct {
	Decl
	Targets    []Ident // metatype, metarel, individual or macro
	Values     []Ident
	Ordered    bool
	Type       Type   // or nil
	Predicates []Expr // of a typed axis; `_` stands for the value
}
