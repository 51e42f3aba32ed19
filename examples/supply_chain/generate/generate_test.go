package main

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestLicencesAreToldApart(t *testing.T) {
	cases := map[string]string{
		"Apache License\n   Version 2.0, January 2004":                                            "Apache-2.0",
		"Mozilla Public License Version 2.0\n":                                                    "MPL-2.0",
		"Redistribution and use in source and\nbinary forms … Neither the name of":                "BSD-3-Clause",
		"Redistribution and use in source and binary forms, with or without":                      "BSD-2-Clause",
		"Permission is hereby granted, free of charge … THE SOFTWARE IS PROVIDED \"AS IS\"":       "MIT",
		"Permission to use, copy, modify, and/or distribute this software for any\npurpose with":  "ISC",
		"This is free and unencumbered software released into the public domain.":                 "Unlicense",
		"GNU LESSER GENERAL PUBLIC LICENSE Version 3 … the GNU General Public License, version 3": "LGPL-3.0",
		"GNU GENERAL PUBLIC LICENSE\n Version 2, June 1991":                                       "GPL-2.0",
		"All rights reserved.": "",
		"":                     "",
		"Mozilla Public License Version 2.0 … the GNU General Public License, Version 2.0":                                                  "MPL-2.0",
		"Permission is hereby granted, free of charge … the software is provided \"as is\"\nLicensed under the Apache License, Version 2.0": "Apache-2.0 MIT",
	}
	for text, want := range cases {
		if got := strings.Join(classify(text), " "); got != want {
			t.Errorf("classify(%q) = %q, expected %q", text, got, want)
		}
	}
}

func TestTables(t *testing.T) {
	released := time.Date(2031, 7, 4, 23, 59, 0, 0, time.FixedZone("east", 3600))
	modules := []module{
		{Path: "example.test/app", Main: true, GoVersion: "1.26"},
		{Path: "example.test/zed", Version: "v2.0.0", Indirect: true},
		{Path: "github.com/ann/lib", Version: "v1.1.0", Time: &released, GoVersion: "1.20"},
	}
	graph := strings.Join([]string{
		"example.test/app github.com/ann/lib@v1.1.0",
		"example.test/app example.test/zed@v2.0.0",           // only for others
		"example.test/app go@1.26",                           // no module
		"github.com/ann/lib@v1.0.0 example.test/gone@v1.0.0", // not the selected version
		"github.com/ann/lib@v1.1.0 example.test/zed@v1.5.0",  // a lower version than is selected
		"github.com/ann/lib@v1.1.0 example.test/zed@v1.5.0",  // twice
	}, "\n")
	licence := func(m module) []string { return map[string][]string{"github.com/ann/lib": {"MIT"}}[m.Path] }
	got := tables(modules, []byte(graph), licence)
	want := map[string][][]string{
		"project.csv":        {{"module"}, {"example.test/app"}},
		"modules.csv":        {{"path", "version", "released", "go", "indirect"}, {"example.test/app", "main", "", "1.26", "false"}, {"example.test/zed", "v2.0.0", "", "", "true"}, {"github.com/ann/lib", "v1.1.0", "2031-07-04", "1.20", "false"}},
		"requires.csv":       {{"dependent", "dependency"}, {"example.test/app", "github.com/ann/lib"}, {"github.com/ann/lib", "example.test/zed"}},
		"licensed_under.csv": {{"module", "licence"}, {"github.com/ann/lib", "MIT"}},
		"owners.csv":         {{"owner", "module"}, {"example.test", "example.test/app"}, {"example.test", "example.test/zed"}, {"github.com/ann", "github.com/ann/lib"}},
	}
	for name, rows := range want {
		if !reflect.DeepEqual(got[name], rows) {
			t.Errorf("%s is %v, expected %v", name, got[name], rows)
		}
	}
	if !requiresAnything(modules, got["requires.csv"]) || requiresAnything(modules[1:], got["requires.csv"]) {
		t.Error("whether the main module requires anything is told wrongly")
	}
	if len(got) != len(want) {
		t.Errorf("%d tables, expected %d", len(got), len(want))
	}
}

func TestModulesAreReadOneAfterAnother(t *testing.T) {
	got, err := readModules([]byte("{\"Path\":\"a\"}\n{\"Path\":\"b\",\"Main\":true}"))
	if err != nil || len(got) != 2 || !got[1].Main {
		t.Fatalf("got %v, %v", got, err)
	}
	if _, err := readModules([]byte("{\"Path\":")); err == nil {
		t.Error("a broken list was taken")
	}
}
