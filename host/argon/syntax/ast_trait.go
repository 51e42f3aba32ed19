package syntax

// Trait is `trait Name <: Super { members }`.
type Trait struct {
	Decl
	TypeParams []TypeParam
	Supers     []Path
	Members    []TraitMember
}

// TraitMember is a *Derive, *Fn, *Mutate or *Check. Self among the parameters
// of a derive is the implementing type; self of a fn or mutate is of the type
// Self.
type TraitMember struct {
	Item
	Provided bool // it has a body; without one every implementation must give it
}

// Impl is `impl Trait for Type { members }`. Name of its Decl is empty.
type Impl struct {
	Decl
	Trait     Path
	TraitArgs []Type // its type arguments
	For       Path
	Where     []Atom // conditions on self
	Members   []TraitMember
}
