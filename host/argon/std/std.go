// Package std holds the sources of the language's standard packages. They are
// embedded and compiled with every package like any other source, so that
// `use std::core::type;` resolves to a real declaration.
package std

import (
	_ "embed"
)

//go:embed core/root.ar
var core string

// Source is one standard package.
type Source struct {
	Name string // "core", for std::core
	Path string // in diagnostics: "std/core/root.ar"
	Text string
}

// Sources lists the standard packages, sorted by name.
func Sources() []Source {
	return []Source{{Name: "core", Path: "std/core/root.ar", Text: core}}
}
