package argon_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/argon"
)

// Hostile macros end in a diagnostic.
func TestMacrosEnd(t *testing.T) {
	sixty := ""
	for i := range 60 {
		sixty += fmt.Sprintf("f%d: Int, ", i)
	}
	cases := map[string]struct{ src, code string }{
		"twice each time":             {"macro e { () => { e!(); e!(); } }\ne!();", "OE0752"},
		"longer each time":            {"macro e { ($($t:tt)*) => { e!($($t)* $($t)*); } }\ne!(a b c d);", "OE0752"},
		"a long repetition":           {"macro e { ($($n:ident),*) => { $( pub type $n; )* } }\ne!(" + strings.Repeat("a, ", 20_000) + "1);", "OE0751"},
		"deep brackets":               {"macro e { ($e:expr) => { fn f() -> Int = $e; } }\ne!(" + strings.Repeat("(", 5_000) + strings.Repeat(")", 5_000) + ");", "OE0751"},
		"deep repetitions":            {"macro e { (" + strings.Repeat("$(", 200) + "$x:tt" + strings.Repeat(")*", 200) + ") => { } }", "OE0753"},
		"repetitions in repetitions":  {"macro e { ($($($($a:ident)* ;)* ;)* end) => { } }\ne!(" + strings.Repeat("a ; ", 2_000) + "b);", "OE0751"},
		"expressions that do not end": {"macro e { ($($e:expr)*) => { } }\ne!(" + strings.Repeat("- ", 3_000) + ");", "OE0751"},
		"bare signs":                  {"macro e { ($) => { $ } }", "OE0753"},
		"deep loops":                  {"#[procmacro] fn e(i: Decl) -> Syntax = quote { " + strings.Repeat("$( for x in i.fields ) { ", 5_000) + strings.Repeat("} ", 5_000) + "};", "OE0729"},
		"deep terms":                  {"#[procmacro] fn e(i: Decl) -> Syntax = quote { ${" + strings.Repeat("!(", 5_000) + "true" + strings.Repeat(")", 5_000) + "} };", "OE0729"},
		"loops in loops":              {"#[procmacro] fn e(i: Decl) -> Syntax = quote { $( for a in i.fields ) { $( for b in i.fields ) { $( for c in i.fields ) { $( for d in i.fields ) { pub type X; } } } } };\n#[e] pub type Y { " + sixty + " }", "OE0752"},
		"a pattern of nothing":        {"macro e { ($($v:vis)*) => { } }\ne!(a);", "OE0751"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var codes []string
			for _, d := range argon.Check(c.src) {
				codes = append(codes, d.Code)
			}
			if len(codes) == 0 || codes[0] != c.code || len(codes) > 2 {
				t.Errorf("%q, want %s", codes, c.code)
			}
		})
	}
}

// What is printed after expansion is a program that means the same and has
// nothing left to expand.
func TestExpandedSourceReads(t *testing.T) {
	src := `use std::rel::transitive;
pub type Lock { age: Int }
#[transitive]
pub rel Up(a: Lock, b: Lock);
macro older { ($n:ident($v:ident), $e:expr) => { derive $n($v) :- Up($v, a), a.age > $e * 2; } }
older!(elder(a), a.age + 1);
pub(pkg) macro few { ($($n:ident),*) => { $(
/// One of
/// few.
pub type $n; )* } }
mod inner { use super::few; few!(A, B); }
`
	expanded := func(src string) string {
		r, err := argon.Snippet(context.Background(), src, argon.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range r.Diagnostics {
			t.Errorf("%s %s", d.Code, d.Message)
		}
		var b bytes.Buffer
		if err := r.Macros.Print(&b, r.Expanded.Main); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	once := expanded(src)
	for _, want := range []string{"Up(x, y)", "(a.age + 1) * 2", "    /// One of\n    /// few.\n    pub type B;", "derive elder(a) :-"} {
		if !strings.Contains(once, want) {
			t.Errorf("there is no %q in\n%s", want, once)
		}
	}
	if twice := expanded(once); twice != once {
		t.Errorf("expanded again it is\n%s", twice)
	}
}
