package diag

// 01xx: names, imports and modules.
var nameEntries = []Entry{
	{
		Code: "OE0101", Title: "unresolved name",
		Explanation: "Nothing in scope has this name. In scope are the module's own declarations, what `use` brings, the prelude of the manifest, and the built-in types. Nothing of the standard library is there by itself.",
		Remediation: Remediation{EditSource, "Correct the spelling, or bring the name in with `use`."},
		Failing:     "pub type Book;\npub type Loan { what: Bok }\n",
		Repaired:    "pub type Book;\npub type Loan { what: Book }\n",
	},
	{
		Code: "OE0102", Title: "name with two meanings",
		Explanation: "Two imports bring different declarations under one name, so the name alone does not say which is meant.",
		Remediation: Remediation{EditSource, "Rename one of them with `as`, or write its full path where it is used."},
		Failing:     "mod doors { pub type Key; }\nmod pianos { pub type Key; }\nuse pkg::doors::Key;\nuse pkg::pianos::Key;\npub type Box { key: Key }\n",
		Repaired:    "mod doors { pub type Key; }\nmod pianos { pub type Key; }\nuse pkg::doors::Key;\nuse pkg::pianos::Key as PianoKey;\npub type Box { key: Key, other: PianoKey }\n",
	},
	{
		Code: "OE0103", Title: "imports that have a name from each other",
		Explanation: "Modules may import each other, but a name has to be declared somewhere. This import has it from another one, which has it from this one by way of those that are shown, so there is nothing that it could mean.",
		Remediation: Remediation{EditSource, "Declare the name in one of the modules of the circle, or import it from the module that declares it."},
		Failing:     "mod fiction { pub use super::shelf::Book; }\nmod shelf { pub use super::fiction::Book; }\n",
		Repaired:    "mod fiction { pub use super::shelf::Book; }\nmod shelf { use std::core::type; pub type Book; }\n",
	},
	{
		Code: "OE0105", Title: "concept, relation or trait above itself",
		Explanation: "Following `<:` from this declaration leads back to it. Every member of one would be a member of all of them, so they would be the same thing under several names.",
		Remediation: Remediation{EditSource, "Remove one `<:` of the circle; if they mean the same, keep one of them."},
		Failing:     "pub type Novel <: Story;\npub type Story <: Novel;\n",
		Repaired:    "pub type Story;\npub type Novel <: Story;\n",
	},
	{
		Code: "OE0150", Title: "module without a file",
		Explanation: "`mod name;` stands for the file name.ar, or name/mod.ar, beside the file that says so. Neither is there.",
		Remediation: Remediation{EditSource, "Make the file, correct the name, or write the items in braces."},
		Failing:     "mod shelves;\n",
		Repaired:    "mod shelves { pub type Shelf; }\n",
	},
	{
		Code: "OE0151", Title: "module declared twice",
		Explanation: "Two modules have one name, or one file is claimed by two modules, or a module has the name of the entry file, of a dependency or of a word that begins paths (pkg, std, self, super). A path could then mean two things.",
		Remediation: Remediation{EditSource, "Give one of them another name, or remove the second declaration."},
		Failing:     "mod shelves { pub type Shelf; }\nmod shelves { pub type Board; }\n",
		Repaired:    "mod shelves { pub type Shelf; pub type Board; }\n",
	},
	{
		Code: "OE0152", Title: "module with two files",
		Explanation: "Both name.ar and name/mod.ar are there, and `mod name;` could mean either.",
		Remediation: Remediation{EditSource, "Keep one of the files."},
		Failing:     "-- ox.toml --\n-- root.ar --\nmod shelves;\n-- shelves.ar --\n-- shelves/mod.ar --\n",
		Repaired:    "-- ox.toml --\n-- root.ar --\nmod shelves;\n-- shelves.ar --\n",
	},
	{
		Code: "OE0153", Title: "private name",
		Explanation: "The declaration is there, but only its own module sees it. `pub` shows it to everyone, `pub(pkg)` to the package.",
		Remediation: Remediation{EditSource, "Make the declaration `pub` if others may depend on it; else use what its module does show."},
		Failing:     "mod vault { type Key; }\npub type Door { key: pkg::vault::Key }\n",
		Repaired:    "mod vault { pub type Key; }\npub type Door { key: pkg::vault::Key }\n",
	},
	{
		Code: "OE0154", Title: "source that cannot be read",
		Explanation: "Sources are UTF-8 text. The file has bytes that are not, or it is no regular file, or reading it failed.",
		Remediation: Remediation{EditSource, "Save the file as UTF-8."},
		Failing:     "pub type Caf\xe9;\n",
		Repaired:    "pub type Café;\n",
	},
	{
		Code: "OW0155", Title: "individual in the place of a variable",
		Explanation: "A facts file spells an individual like a name that joins two atoms of this body. The name therefore stands for that individual, and the body asks less than it seems to.",
		Remediation: Remediation{EditSource, "Give the variable another name. If the individual is meant, compare a variable with it once and use the variable."},
		Failing:     shelfFacts + "-- root.ar --\npub type Shelf;\npub rel Above(a: Shelf, b: Shelf);\npub derive two_above(a, c) :- Above(a, mid), Above(mid, c);\n",
		Repaired:    shelfFacts + "-- root.ar --\npub type Shelf;\npub rel Above(a: Shelf, b: Shelf);\npub derive two_above(a, c) :- Above(a, b), Above(b, c);\n",
	},
	{
		Code: "OW0159", Title: "variable spelled like an individual", Stage: StageAsk,
		Explanation: "A name of an ad-hoc query that nothing declares is a variable, and matches whatever stands there. This one occurs once and is spelled nearly like an individual of the package, so it may be that one misspelt: the answer has more rows then than were asked for.",
		Remediation: Remediation{ChangeCall, "Correct the name. If any is meant, write `_`, or a name that is not so near."},
	},
}

const shelfFacts = "-- ox.toml --\n[package]\nname = \"shop\"\nprelude = [\"std::core::type\", \"std::core::rel\"]\n[facts]\n\"root::Above\" = \"above.csv\"\n-- above.csv --\na,b\ntop,mid\nmid,low\n"
