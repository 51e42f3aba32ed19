// Package std holds the sources of the language's standard packages. They are
// embedded and compiled with every package like any other source, so that
// `use std::core::type;` resolves to a real declaration.
package std

import (
	_ "embed"
)

//go:embed root.ar
var root string

//go:embed core/root.ar
var core string

//go:embed datetime/root.ar
var datetime string

//go:embed kripke/root.ar
var kripke string

//go:embed math/root.ar
var math string

//go:embed path/root.ar
var path string

//go:embed temporal/root.ar
var temporal string

//go:embed rel/root.ar
var rel string

// Source is one file of the standard packages.
type Source struct {
	Name string // "" of std itself, "core" of std::core
	Path string // in diagnostics: "std/core/root.ar"
	Text string
}

// Sources lists the file of std itself, which declares the standard packages
// as its modules, and then theirs, sorted by name.
func Sources() []Source {
	return []Source{
		{Path: "std/root.ar", Text: root},
		{Name: "core", Path: "std/core/root.ar", Text: core},
		{Name: "datetime", Path: "std/datetime/root.ar", Text: datetime},
		{Name: "kripke", Path: "std/kripke/root.ar", Text: kripke},
		{Name: "math", Path: "std/math/root.ar", Text: math},
		{Name: "path", Path: "std/path/root.ar", Text: path},
		{Name: "rel", Path: "std/rel/root.ar", Text: rel},
		{Name: "temporal", Path: "std/temporal/root.ar", Text: temporal},
	}
}
