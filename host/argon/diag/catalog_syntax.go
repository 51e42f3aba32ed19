package diag

import "strings"

// 00xx: what cannot be read.
var syntaxEntries = []Entry{
	{
		Code: "OE0001", Title: "unexpected token",
		Explanation: "At this place the grammar allows other words than the one that stands here. The message says what was found and what may stand. Reading goes on at the next declaration or statement, so what follows is checked as well.",
		Remediation: Remediation{EditSource, "Compare with the form that the message expects; often a `:`, `,` or `;` just before the place is missing."},
		Failing:     "pub type Book { title String }\n",
		Repaired:    "pub type Book { title: String }\n",
	},
	{
		Code: "OE0002", Title: "bracket never closed",
		Explanation: "A bracket was opened and the file or declaration ended before its partner came. The place is the bracket that was opened, since only you know where it should end.",
		Remediation: Remediation{EditSource, "Add the closing bracket where the part ends."},
		Failing:     "pub type Book {\n    title: String\n",
		Repaired:    "pub type Book {\n    title: String\n}\n",
	},
	{
		Code: "OE0003", Title: "malformed attribute",
		Explanation: "An attribute is `#[name]` or `#[name(arguments)]` and stands directly before the declaration that it belongs to. This one has another form, or nothing follows it.",
		Remediation: Remediation{EditSource, "Write the attribute in that form, or take it out."},
		Failing:     "#[]\npub type Book;\n",
		Repaired:    "#[world(closed)]\npub type Book;\n",
	},
	{
		Code: "OE0004", Title: "character without a meaning",
		Explanation: "Outside strings and comments only identifiers, literals and the language's punctuation may stand. This character is none of them. Typographic quotes and dashes from a word processor are the usual cause.",
		Remediation: Remediation{EditSource, "Remove the character, or put the text in a string."},
		Failing:     "pub type Book§;\n",
		Repaired:    "pub type Book;\n",
	},
	{
		Code: "OE0007", Title: "result-shaping clause of a query",
		Explanation: "`group by`, `having`, `order by`, `limit` and `offset` are read and not evaluated: a query's answer is a set. Rows come in a fixed order (by value), and every caller can page through them.",
		Remediation: Remediation{Rewrite, "Drop the clause. For groups, derive a predicate whose head has the group and an aggregate; for a part of the rows, let the caller ask for a page."},
		Failing:     "pub type Book { pages: Int }\npub query by_length() -> [Book] {\n    select b from b: Book order by b.pages desc\n}\n",
		Repaired:    "pub type Book { pages: Int }\npub query by_length() -> [Book] {\n    select b from b: Book\n}\n",
	},
	{
		Code: "OE0009", Title: "enum with bars",
		Explanation: "An earlier generation of the language listed an enum's constants after `=`, between bars. Constants now stand in braces, between commas, and may carry values.",
		Remediation: Remediation{EditSource, "Write `enum Name { A, B }`."},
		Failing:     "pub enum Shelf = High | Low;\n",
		Repaired:    "pub enum Shelf { High, Low }\n",
	},
	{
		Code: "OE0011", Title: "missing `;`",
		Explanation: "A concept or relation ends in a body in braces or in `;`, exactly one of the two. Without either it is not clear whether the next line still belongs to it.",
		Remediation: Remediation{EditSource, "End the declaration with `;`, or give it a body."},
		Failing:     "pub type Book\npub type Shelf;\n",
		Repaired:    "pub type Book;\npub type Shelf;\n",
	},
	{
		Code: "OE0012", Title: "concept with bars",
		Explanation: "An earlier generation of the language covered a concept by alternatives after `=`, between bars. Each alternative is now a concept of its own that specialises the covered one.",
		Remediation: Remediation{EditSource, "Declare the alternatives with `<:`."},
		Failing:     "pub type Medium = Book | Film;\n",
		Repaired:    "pub type Medium;\npub type Book <: Medium;\npub type Film <: Medium;\n",
	},
	{
		Code: "OE0050", Title: "string or comment never closed",
		Explanation: "A string ends on the line on which it begins, and a block comment needs a `*/` for each `/*` in it, because comments nest.",
		Remediation: Remediation{EditSource, "Close it. A line break inside a string is written `\\n`."},
		Failing:     "pub fn greeting() -> String = \"good morning;\n",
		Repaired:    "pub fn greeting() -> String = \"good morning\";\n",
	},
	{
		Code: "OE0051", Title: "malformed literal",
		Explanation: "A number, date, escape or count has a form that gives no value: a day that the calendar does not have, an unknown escape, an upper bound below the lower one.",
		Remediation: Remediation{EditSource, "Correct the literal. Dates are `#2031-07-04#`; escapes are \\n \\t \\r \\\\ \\\" \\0 and \\u{…}."},
		Failing:     "pub fn due() -> Date = #2031-02-30#;\n",
		Repaired:    "pub fn due() -> Date = #2031-02-28#;\n",
	},
	{
		Code: "OE0052", Title: "nested too deeply",
		Explanation: "Expressions, types, atoms and blocks may nest 256 levels. The bound keeps a hostile text from exhausting the reader.",
		Remediation: Remediation{EditSource, "Name inner parts with `let`, a `fn` or a derived predicate."},
		Failing:     "pub fn deep() -> Int = " + strings.Repeat("(", 300) + "1" + strings.Repeat(")", 300) + ";\n",
		Repaired:    "pub fn deep() -> Int = ((1));\n",
	},
	{
		Code: "OE0053", Title: "too many syntax errors",
		Explanation: "A file with this many syntax errors is most likely not a source file, or one early mistake has upset the rest. The first hundred are listed.",
		Remediation: Remediation{EditSource, "Mend the first ones and check again."},
		Failing:     strings.Repeat("pub enum X = ;\n", 120),
		Repaired:    "pub enum X { Only }\n",
	},
}
