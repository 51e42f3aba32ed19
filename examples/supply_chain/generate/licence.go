package main

import "strings"

// unknown is the licence of a module of which none is known.
const unknown = ""

// isLicence reports whether a file of a module is one that holds its licence.
func isLicence(name string) bool {
	stem, _, _ := strings.Cut(strings.ToUpper(name), ".")
	return stem == "LICENSE" || stem == "LICENCE" || stem == "COPYING" || stem == "UNLICENSE"
}

// phrases tell licences apart. All phrases of an entry must stand in the
// text; the first entry that fits wins, so the stricter ones come first.
var phrases = []struct {
	id    string
	words []string
}{
	{"Apache-2.0", []string{"apache license", "version 2.0"}},
	{"MPL-2.0", []string{"mozilla public license", "2.0"}},
	{"AGPL-3.0", []string{"gnu affero general public license", "version 3"}},
	{"LGPL-3.0", []string{"gnu lesser general public license", "version 3"}},
	{"GPL-3.0", []string{"gnu general public license", "version 3"}},
	{"GPL-2.0", []string{"gnu general public license", "version 2"}},
	{"Unlicense", []string{"free and unencumbered software released into the public domain"}},
	{"ISC", []string{"permission to use, copy, modify, and/or distribute this software for any purpose"}},
	{"ISC", []string{"permission to use, copy, modify, and distribute this software for any purpose"}},
	{"BSD-3-Clause", []string{"redistribution and use in source and binary forms", "neither the name"}},
	{"BSD-2-Clause", []string{"redistribution and use in source and binary forms"}},
	{"MIT", []string{"permission is hereby granted, free of charge", "the software is provided \"as is\""}},
}

// classify returns the SPDX identifier of a licence text, or unknown.
func classify(text string) string {
	flat := strings.Join(strings.Fields(strings.ToLower(text)), " ")
	for _, p := range phrases {
		fits := true
		for _, w := range p.words {
			fits = fits && strings.Contains(flat, w)
		}
		if fits {
			return p.id
		}
	}
	return unknown
}
