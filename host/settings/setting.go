// Package settings is the registry of everything that can be configured: each
// limit, path and policy is declared once, in All, with its kind, default,
// bounds and who may set it. Values come in layers, and every resolved value
// knows which layer set it and what it displaced.
//
// The package reads no file, variable or clock by itself: texts and look-up
// functions are passed in.
package settings

import "strings"

// Kind is the form of a setting's values.
type Kind uint8

// The kinds.
const (
	Bool     Kind = iota // true, false
	Int                  // a decimal integer
	Bytes                // an integer with an optional unit: B, KiB, MiB, GiB
	Duration             // 30s, 1m30s, 250ms
	String
	List // words separated by commas
	Enum // one of Choices
)

func (k Kind) String() string {
	return [...]string{"bool", "int", "bytes", "duration", "string", "list", "enum"}[k]
}

// PackageRight says what a package's own ox.toml may do with a setting. A
// package is code from elsewhere, so it never widens anything.
type PackageRight uint8

// The rights of a package.
const (
	PackageNothing PackageRight = iota // the key is ignored there, with a warning
	PackageNarrows                     // a number no higher than what it displaces
	PackageSets                        // presentation: any value within bounds
)

func (r PackageRight) String() string {
	return [...]string{"no", "lower it", "set it"}[r]
}

// Setting declares one setting.
type Setting struct {
	Key         string // dotted: "limits.fuel"
	Kind        Kind
	Default     string   // in the form that Parse takes; empty: not set
	Min, Max    int64    // of Int (as is), Bytes (bytes) and Duration (nanoseconds), both included
	Choices     []string // of Enum, and of the words of a List; empty: any word
	Description string   // one or two sentences, with the unit
	PackageMay  PackageRight
	Flag        string // its own command-line flag without the dashes, if it has one
	Hot         bool   // a run-time change takes effect at once; otherwise after a restart
}

// Numeric reports whether values are numbers with bounds.
func (s *Setting) Numeric() bool { return s.Kind == Int || s.Kind == Bytes || s.Kind == Duration }

// Env is the name of the environment variable that sets s: "limits.rows" is
// OX_MCP_LIMITS_ROWS, "limits.resultBytes" is OX_MCP_LIMITS_RESULT_BYTES.
func (s *Setting) Env() string {
	var b strings.Builder
	b.WriteString("OX_MCP_")
	for _, r := range s.Key {
		switch {
		case r == '.':
			b.WriteByte('_')
		case r >= 'A' && r <= 'Z':
			b.WriteByte('_')
			b.WriteRune(r)
		default:
			b.WriteString(strings.ToUpper(string(r)))
		}
	}
	return b.String()
}

// Lookup returns the declaration of key.
func Lookup(key string) (*Setting, bool) {
	for i := range All {
		if All[i].Key == key {
			return &All[i], true
		}
	}
	return nil, false
}
