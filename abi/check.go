package abi

// Severity of a diagnostic.
type Severity uint8

// The severities.
const (
	SeverityError Severity = iota
	SeverityWarning
	SeverityInfo
	SeverityHint
)

func (s Severity) String() string { return [...]string{"Error", "Warning", "Info", "Hint"}[s&3] }

// Check is a denial: the tuples of Relation are its violations, one column a
// variable that the payload or a parameter names.
type Check struct {
	Name      string
	Relation  int
	Keys      int // how many of the relation's first columns tell one violation from another; 0: all
	Rule      int
	Severity  Severity // as far as it is constant; Error otherwise
	Code      string   // as far as it is constant
	Payload   Payload
	Guard     bool   // made by the compiler from a declaration, not written as a check
	Evaluator string // name of a check-evaluator plugin, or empty for the built-in one
	Span      Span
}

// Payload is what a check says of one violation. Slot i of its expressions is
// column i of the check's relation.
type Payload struct {
	Severity Expr // enum constant std::core::Severity::*
	Code     Expr // String
	Message  Expr // String
}
