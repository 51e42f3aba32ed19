package diag

// 0705 and 075x: macros.
var macroEntries = []Entry{
	{
		Code: "OE0705", Title: "macro registered twice",
		Explanation: "A macro and another declaration of the module claim one name, or a macro has the name of an attribute of the language. No order of precedence decides between them.",
		Remediation: Remediation{EditSource, "Give one of them another name."},
		Failing:     "pub type Book;\nmacro lent { ($n:ident) => { pub rel $n(b: Book); } }\nmacro lent { ($n:ident) => { pub type $n; } }\n",
		Repaired:    "pub type Book;\nmacro lent { ($n:ident) => { pub rel $n(b: Book); } }\nmacro shelved { ($n:ident) => { pub type $n; } }\n",
	},
	{
		Code: "OE0729", Title: "procedural macro outside its fragment",
		Explanation: "The body of a `#[procmacro] pub fn` always ends: it is `quote { … }`, a list of quotes, `let x = value;` with such a body behind it, `if … else …`, or a `match` on a scalar. In a quote, `${value}` pastes and `$( for x in list ) { … }` repeats. A value is a parameter, a literal, what is reflected (`item.name`, `.kind`, `.public`, `.fields`, `.params`, `.variants`, `.supers`; of a field `.name`, `.type`, `.mut`), a comparison, or one of `concat_idents`, `stringify` and `count`. There are no calls of anything else, and no loops outside a quote.",
		Remediation: Remediation{EditSource, "Say it with these forms, or write a declarative macro."},
		Failing:     "#[procmacro]\npub fn twin(item: Decl) -> Syntax = { for f in item.fields { quote { pub type X; } } };\n#[twin]\npub type Book;\n",
		Repaired:    "#[procmacro]\npub fn twin(item: Decl) -> Syntax = quote { pub type ${concat_idents(item.name, _twin)}; };\n#[twin]\npub type Book;\n",
	},
	{
		Code: "OE0750", Title: "use of a macro that is not there",
		Explanation: "`name!(…)` stands where a declaration may, or in a body where an expression, an atom or a statement may, and is replaced by what the macro `name` makes. No macro of that name is in scope.",
		Remediation: Remediation{EditSource, "Correct the name, declare the macro, or import it as any other name."},
		Failing:     "macro kinds { ($($n:ident),*) => { $( pub type $n; )* } }\nkind!(Novel, Atlas);\n",
		Repaired:    "macro kinds { ($($n:ident),*) => { $( pub type $n; )* } }\nkinds!(Novel, Atlas);\n",
	},
	{
		Code: "OE0751", Title: "macro that does not take this",
		Explanation: "A macro tries the patterns of its rules in their order, and none of them fits the tokens that it is used with. In the place of an attribute these are the attribute's arguments with their parentheses, then the declaration without its attributes. A pattern that repeats several variables together wants as many of each.",
		Remediation: Remediation{EditSource, "Write what one of the patterns asks for, or give the macro a rule for this case."},
		Failing:     "use std::rel::transitive;\npub type Book;\n#[transitive]\npub rel Cites(from: Book, to: Book, page: Int);\n",
		Repaired:    "use std::rel::transitive;\npub type Book;\n#[transitive]\npub rel Cites(from: Book, to: Book);\n",
	},
	{
		Code: "OE0752", Title: "macros without end",
		Explanation: "What a macro makes may use macros again, 64 deep, and all macros of a package together make up to one million tokens. This goes beyond.",
		Remediation: Remediation{EditSource, "Give a macro that uses itself a rule for its last case; let the first rule take fewer tokens each time."},
		Failing:     "macro all { ($n:ident $($rest:ident)*) => { pub type $n; all!($n $($rest)*); } }\nall!(Novel Atlas);\n",
		Repaired:    "macro all { () => { }; ($n:ident $($rest:ident)*) => { pub type $n; all!($($rest)*); } }\nall!(Novel Atlas);\n",
	},
	{
		Code: "OE0753", Title: "macro that cannot be read",
		Explanation: "In a pattern, `$name:kind` takes a fragment (atom, block, expr, ident, item, literal, path, pattern, tt, type or vis) and `$( … ) , *` repeats what is inside: any number of times with `*`, once or more with `+`, at most once with `?`; the separator may be missing. In a template, `$name` gives the fragment, as deep in repetitions as in the pattern; `${concat_idents(a, b)}` makes a name, `${stringify(a)}` a string, and inside a string `{$name}` gives its text; a variable may also be a part of what stands in braces.",
		Remediation: Remediation{EditSource, "Mend what the message names."},
		Failing:     "macro lent { ($n:ident) => { pub type $name; } }\n",
		Repaired:    "macro lent { ($name:ident) => { pub type $name; } }\n",
	},
	{
		Code: "OE0754", Title: "macro in the wrong place",
		Explanation: "A macro is used in the place of a declaration, or of a part of a body, as `name!(…)`, or before a declaration, as `#[name]`; not inside a text. It works on declarations that have a name, and makes any but modules and macros.",
		Remediation: Remediation{EditSource, "Use it on a declaration that has a name, or declare the module or macro outside."},
		Failing:     "macro shelf { ($n:ident) => { pub mod $n { pub type Book; } } }\nshelf!(front);\n",
		Repaired:    "macro shelf { ($n:ident) => { pub type $n; } }\nshelf!(Front);\n",
	},
}
