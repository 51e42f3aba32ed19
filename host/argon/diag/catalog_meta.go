package diag

// 06xx: metatypes and metarels.
var metaEntries = []Entry{
	{
		Code: "OE0605", Title: "unknown introducer of a concept",
		Explanation: "The word before a concept's name is no keyword: it names a metatype that must be in scope. Not even `type` is there by itself.",
		Remediation: Remediation{EditSource, "Bring one in, as `use std::core::type;` does, name it in the manifest's prelude, or declare a `pub metatype` of your own."},
		Failing:     "pub kind Book;\n",
		Repaired:    "pub metatype kind = {};\npub kind Book;\n",
	},
	{
		Code: "OE0606", Title: "unknown introducer of a relation",
		Explanation: "The word before a relation's name is no keyword: it names a metarel that must be in scope. Not even `rel` is there by itself.",
		Remediation: Remediation{EditSource, "Bring one in, as `use std::core::rel;` does, name it in the manifest's prelude, or declare a `pub metarel` of your own."},
		Failing:     "pub type Book;\npub link Cites(a: Book, b: Book);\n",
		Repaired:    "pub type Book;\npub rel Cites(a: Book, b: Book);\n",
	},
	{
		Code: "OE0631", Title: "endpoint of the wrong metatype",
		Explanation: "The metarel that introduces the relation says which metatype each position takes, and a concept of another metatype stands there. Positions count from 0.",
		Remediation: Remediation{EditSource, "Fill the position with a concept of the required metatype, or introduce the relation with another metarel."},
		Failing:     "pub metatype thing = {};\npub metatype event = {};\npub metarel happening(what: event, place: thing);\npub thing Hall;\npub thing Stage;\npub happening shown_in(what: Stage, place: Hall);\n",
		Repaired:    "pub metatype thing = {};\npub metatype event = {};\npub metarel happening(what: event, place: thing);\npub thing Hall;\npub event Concert;\npub happening shown_in(what: Concert, place: Hall);\n",
	},
}

// 07xx: macros, modality and time.
var logicEntries = []Entry{
	{
		Code: "OE0712", Title: "modal inside temporal operator",
		Explanation: "A modal operator around a temporal one, or the reverse, leaves the fragment that can be decided. Side by side in one rule they are fine.",
		Remediation: Remediation{Rewrite, "Put the two side by side, where that is what is meant, or derive a predicate with the inner operator and write its name in the outer one."},
		Failing:     "pub type Book;\npub derive kept(b: Book) :- box(box_minus[0, 7](Book(b)));\n",
		Repaired:    "pub type Book;\npub derive kept(b: Book) :- box(Book(b));\n",
	},
	{
		Code: "OE0730", Title: "forgetting without permission",
		Explanation: "`forget` erases history, so the mutate that does it has to say so. Who may run it is another question, which a grant of the operator answers.",
		Remediation: Remediation{EditSource, "Write `#[allow_forget]` before the mutate, if it is meant to erase; else `delete` takes a fact back and keeps what was."},
		Failing:     "pub type Book;\npub mutate drop(b: Book) { forget b; }\n",
		Repaired:    "pub type Book;\n#[allow_forget]\npub mutate drop(b: Book) { forget b; }\n",
	},
}
