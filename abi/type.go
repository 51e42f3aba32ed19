package abi

// TypeOp is the head of a static type.
type TypeOp uint8

// The heads of static types.
const (
	TypeTop TypeOp = iota // in a TypeDef, Name may be the number of a type parameter, from 0: what the argument at that place says
	TypeBot
	TypeBool
	TypeNat // Name of an integer with bounds: "u8" and so on
	TypeInt // Name of an integer with bounds: "i8" and so on
	TypeReal
	TypeDecimal
	TypeMoney
	TypeString
	TypeDate
	TypeTime
	TypeDateTime
	TypeDuration
	TypeConcept // Name
	TypeStruct  // Name, Args where the declaration has type parameters
	TypeEnum    // Name, Args where the declaration has type parameters
	TypeList    // Args[0]
	TypeSet     // Args[0]
	TypeOption  // Args[0]
	TypeMap     // Args[0], Args[1]
	TypeRange   // Args[0]
	TypeRef     // reference to a declared type; Args[0] is its bound, if any
	TypeFn      // Args: parameters, then the result
	typeOpCount
)

// Type is a static type.
type Type struct {
	Op   TypeOp
	Name string // qualified name of a concept, struct or enum
	Args []Type
}

// TypeDef is a declared concept, struct or enum.
type TypeDef struct {
	Name     string // qualified
	Op       TypeOp // TypeConcept, TypeStruct or TypeEnum
	Supers   []int  // direct supertypes of a concept, indexes into Types
	Fields   []FieldDef
	Variants []VariantDef // of an enum, in declared order
	Abstract bool
	Extent   int // relation that holds a concept's members, else -1
	Span     Span
}

// FieldDef is a field of a concept or struct. Inherited fields are not
// repeated.
type FieldDef struct {
	Name     string
	Type     Type
	Mut      bool
	Required bool // neither optional, nor a collection, nor defaulted
	Relation int  // relation that stores a concept's field, else -1
	Default  *Expr
}

// VariantDef is one alternative of an enum.
type VariantDef struct {
	Name   string // qualified: "module::Enum::Tag"
	Fields []FieldDef
	Named  bool // written with braces: the payload has field names
}
