package main

import "strings"

// isLicence reports whether a file of a module is one that holds its licence.
func isLicence(name string) bool {
	stem, _, _ := strings.Cut(strings.ToUpper(name), ".")
	return stem == "LICENSE" || stem == "LICENCE" || stem == "COPYING" || stem == "UNLICENSE"
}

// phrases tell licences apart: all words of an entry must stand in the text.
// Of a family the first entry that fits counts, so the stricter ones come
// first. An entry with not says nothing where that one fits, because it is
// only spoken of there.
var phrases = []struct {
	id     string
	family string
	words  []string
	not    string
}{
	{id: "Apache-2.0", words: []string{"apache license", "version 2.0"}},
	{id: "Apache-2.0", words: []string{"licensed under the apache license, version 2.0"}},
	{id: "MPL-2.0", words: []string{"mozilla public license", "2.0"}},
	{id: "AGPL-3.0", family: "gnu", words: []string{"gnu affero general public license", "version 3"}, not: "MPL-2.0"},
	{id: "LGPL-3.0", family: "gnu", words: []string{"gnu lesser general public license", "version 3"}, not: "MPL-2.0"},
	{id: "GPL-3.0", family: "gnu", words: []string{"gnu general public license", "version 3"}, not: "MPL-2.0"},
	{id: "GPL-2.0", family: "gnu", words: []string{"gnu general public license", "version 2"}, not: "MPL-2.0"},
	{id: "Unlicense", words: []string{"free and unencumbered software released into the public domain"}},
	{id: "ISC", words: []string{"permission to use, copy, modify, and/or distribute this software for any purpose"}},
	{id: "ISC", words: []string{"permission to use, copy, modify, and distribute this software for any purpose"}},
	{id: "BSD-3-Clause", family: "bsd", words: []string{"redistribution and use in source and binary forms", "neither the name"}},
	{id: "BSD-2-Clause", family: "bsd", words: []string{"redistribution and use in source and binary forms"}},
	{id: "MIT", words: []string{"permission is hereby granted, free of charge", "the software is provided \"as is\""}},
}

// classify returns the SPDX identifiers of the licences that a text holds. All
// of them bind.
func classify(text string) []string {
	flat := strings.Join(strings.Fields(strings.ToLower(text)), " ")
	var ids []string
	taken := map[string]bool{}
	for _, p := range phrases {
		fits := !taken[p.id] && !(p.family != "" && taken[p.family]) && !(p.not != "" && taken[p.not])
		for _, w := range p.words {
			fits = fits && strings.Contains(flat, w)
		}
		if fits {
			ids = append(ids, p.id)
			taken[p.id], taken[p.family] = true, true
		}
	}
	return ids
}
