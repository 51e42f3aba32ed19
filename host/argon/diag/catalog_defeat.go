package diag

// 0352 to 0356: clauses that may lose, and what defeats them.
var defeatEntries = []Entry{
	{
		Code: "OE0352", Title: "defeat of an unknown clause",
		Explanation: "`#[defeats(head.label(args))]` aims at the clause of `head` that has the label, and none has it. An attack that meets nothing would be passed over in silence.",
		Remediation: Remediation{EditSource, "Correct the label, or label the clause with `#[label(name)]`; `#[defeats(head(args))]` aims at every default clause."},
		Failing:     "pub type Book;\npub rel Torn(b: Book);\n#[default]\n#[label(usual)]\npub derive lendable(b) :- b: Book;\n#[defeats(lendable.usal(b))]\npub derive kept(b) :- Torn(b);\n",
		Repaired:    "pub type Book;\npub rel Torn(b: Book);\n#[default]\n#[label(usual)]\npub derive lendable(b) :- b: Book;\n#[defeats(lendable.usual(b))]\npub derive kept(b) :- Torn(b);\n",
	},
	{
		Code: "OE0353", Title: "defeat of a strict clause",
		Explanation: "Only a clause with `#[default]` can lose a tuple. Every clause without it is strict: what it derives stands whatever else is derived. This attack aims at strict clauses only and would do nothing.",
		Remediation: Remediation{EditSource, "Mark the clause that may lose with `#[default]`, or take the attack out."},
		Failing:     "pub type Book;\npub rel Torn(b: Book);\npub derive lendable(b) :- b: Book;\n#[defeats(lendable(b))]\npub derive kept(b) :- Torn(b);\n",
		Repaired:    "pub type Book;\npub rel Torn(b: Book);\n#[default]\npub derive lendable(b) :- b: Book;\n#[defeats(lendable(b))]\npub derive kept(b) :- Torn(b);\n",
	},
	{
		Code: "OE0354", Title: "label given twice",
		Explanation: "A label names one clause of a head, so that an attack knows which it aims at.",
		Remediation: Remediation{EditSource, "Give each clause a label of its own. Clauses that are always defeated together need none: `#[defeats(head(args))]` aims at all."},
		Failing:     "pub type Book;\npub type Film;\n#[default]\n#[label(usual)]\npub derive lendable(b) :- b: Book;\n#[default]\n#[label(usual)]\npub derive lendable(b) :- b: Film;\n",
		Repaired:    "pub type Book;\npub type Film;\n#[default]\n#[label(books)]\npub derive lendable(b) :- b: Book;\n#[default]\n#[label(films)]\npub derive lendable(b) :- b: Film;\n",
	},
	{
		Code: "OE0355", Title: "strength that is no longer part of the language",
		Explanation: "`#[strict]`, `#[defeasible]`, `#[defeater]` and `#[priority]` ordered rules by strength. Now a clause is strict unless `#[default]` says otherwise, and each exception names what it defeats. The old words are refused and not read as the new ones, since they do not mean quite the same.",
		Remediation: Remediation{Rewrite, "Mark what may lose with `#[default]`, and write `#[defeats(head(args))]` on what wins."},
		Failing:     "pub type Book;\n#[defeasible]\npub derive lendable(b) :- b: Book;\n",
		Repaired:    "pub type Book;\n#[default]\npub derive lendable(b) :- b: Book;\n",
	},
	{
		Code: "OE0356", Title: "clause that defeats itself",
		Explanation: "A default clause aims at its own label, or at every default clause of its own head, and that is one of them. It would hold exactly where it does not.",
		Remediation: Remediation{EditSource, "Label the clause that should lose and name it: `#[defeats(head.label(args))]`."},
		Failing:     "pub type Book { pages: Int }\n#[default]\npub derive days(b, 14) :- b: Book;\n#[default]\n#[defeats(days(b, _))]\npub derive days(b, 28) :- b: Book, b.pages > 800;\n",
		Repaired:    "pub type Book { pages: Int }\n#[default]\n#[label(usual)]\npub derive days(b, 14) :- b: Book;\n#[default]\n#[defeats(days.usual(b, _))]\npub derive days(b, 28) :- b: Book, b.pages > 800;\n",
	},
}
