package syntax

// directives are the attributes that the language gives a meaning, the others those
// that it had or is to have.
var (
	directives         = []string{"world", "label", "evaluator", "default", "defeats", "dec", "procmacro", "allow_forget"}
	reservedDirectives = []string{"comptime", "strict", "defeasible", "defeater", "priority", "unproven", "assumed"}
)

// Directives lists the attributes that the language gives a meaning.
func Directives() []string { return append([]string(nil), directives...) }

// IsDirective reports whether an attribute's name is the language's own, so
// that no macro can have it.
func IsDirective(name string) bool {
	for _, list := range [][]string{directives, reservedDirectives} {
		for _, d := range list {
			if d == name {
				return true
			}
		}
	}
	return false
}
