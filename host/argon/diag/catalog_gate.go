package diag

import "strings"

// 13xx: the gate. A rule that cannot be evaluated refuses the build: it is
// never left out of the artifact in silence. Each entry shows the way out.
var gateEntries = []Entry{
	{
		Code: "OE1301", Title: "unsafe logic ran out of time",
		Explanation: "A block of `unsafe logic` may leave the decidable fragment and is then bounded by time.",
		Reserved:    "`unsafe logic` is refused with OE1354 in this version",
	},
	{
		Code: "OE1303", Title: "head variable that nothing binds",
		Explanation: "Every variable of a rule's head needs an atom of the body that enumerates its values, else the rule would speak of infinitely many things. An atom of a concept, relation or derived predicate binds; so does `x = e`. Comparisons, `not` and the type of a head parameter only filter.",
		Remediation: Remediation{EditSource, "Add an atom that the variable occurs in, such as `x: C`, or take the variable out of the head."},
		Failing:     "pub type Book;\npub derive pair(a: Book, b: Book) :- a: Book;\n",
		Repaired:    "pub type Book;\npub derive pair(a: Book, b: Book) :- a: Book, b: Book;\n",
	},
	{
		Code: "OE1312", Title: "aggregate that a rule cannot evaluate",
		Explanation: "A rule can fold with count, sum, min, max and avg, and test with exists. A collection is no value that a tuple of a relation could carry through the fixpoint, so `set`, `collect` and `one` belong in queries and functions.",
		Remediation: Remediation{Rewrite, "Derive a predicate with one tuple for each element and join with it; collect the elements in a query."},
		Failing:     "pub type Book;\npub rel Cites(from: Book, to: Book);\npub derive sources(b: Book) :- b: Book, all = collect { select c from Cites(b, c) };\n",
		Repaired:    "pub type Book;\npub rel Cites(from: Book, to: Book);\npub derive sources(b: Book, c: Book) :- b: Book, Cites(b, c);\n",
	},
	{
		Code: "OE1313", Title: "`not` before an aggregate",
		Explanation: "`not` asks whether an atom has no answer. An aggregate always has one, so its negation would be false for every group, which is hardly what is meant.",
		Remediation: Remediation{Rewrite, "Turn the comparison round (`count { … } <= 2` for not more than two), or write `not exists { … }`."},
		Failing:     "pub type Book;\npub rel Cites(from: Book, to: Book);\npub derive modest(b: Book) :- b: Book, not count { Cites(b, c) } > 2;\n",
		Repaired:    "pub type Book;\npub rel Cites(from: Book, to: Book);\npub derive modest(b: Book) :- b: Book, count { Cites(b, c) } <= 2;\n",
	},
	{
		Code: "OE1315", Title: "quantifier that a rule cannot evaluate",
		Explanation: "A general `forall` or `exists` over variables has no bounded enumeration. What holds for all has no counterexample, and that can be said with two negations.",
		Remediation: Remediation{Rewrite, "For `forall`, derive the counterexamples and require `not` of that predicate. For `exists`, use `exists { atoms }`, or a variable of the body that is not in the head."},
		Failing:     "pub type Shelf;\npub type Book;\npub rel On(b: Book, s: Shelf);\npub rel Read(b: Book);\npub derive finished(s: Shelf) :- s: Shelf, forall b: Book (On(b, s), Read(b));\n",
		Repaired:    "pub type Shelf;\npub type Book;\npub rel On(b: Book, s: Shelf);\npub rel Read(b: Book);\npub derive waiting(s: Shelf) :- On(b, s), not Read(b);\npub derive finished(s: Shelf) :- s: Shelf, not waiting(s);\n",
	},
	{
		Code: "OE1317", Title: "recursion through an aggregate",
		Explanation: "A fold needs all tuples that it folds, and these depend, in the circle that the message shows, on the fold's own result. There need not be one answer to that. There is one for `min` and `max` where a better value can only lead to better values: each rule of the circle passes the value on, adds to it or scales it, or compares it with a bound that a better one passes, too.",
		Remediation: Remediation{Rewrite, "Break the circle: fold over something that is derived without the result, or carry the quantity along in the recursion and fold once at the end. Where a min or max is meant to go round, give each candidate in a `derive` of its own and the best of them in another."},
		Failing:     "pub type Book;\npub rel Cites(from: Book, to: Book);\npub derive weight(b: Book, n: Int) :- b: Book, n = sum(m for c in Book where true, Cites(b, c), weight(c, m));\n",
		Repaired:    "pub type Book;\npub rel Cites(from: Book, to: Book);\npub derive reaches(a: Book, b: Book) :- Cites(a, b);\npub derive reaches(a: Book, b: Book) :- Cites(a, m), reaches(m, b);\npub derive weight(b: Book, n: Int) :- b: Book, n = count { reaches(b, c) };\n",
	},
	{
		Code: "OE1342", Title: "bodiless rule with a variable",
		Explanation: "A `derive` without a body states one tuple, so each of its arguments must be something definite: a declared individual, a constant or a literal. This argument is none of them, and as a variable it would stand for everything.",
		Remediation: Remediation{EditSource, "Declare the individual (`fact C(x);`), or give the rule a body that binds the variable."},
		Failing:     "pub type Book;\npub derive chosen(emma);\n",
		Repaired:    "pub type Book;\npub fact Book(emma);\npub derive chosen(emma);\n",
	},
	{
		Code: "OE1344", Title: "`with` in a query",
		Explanation: "A query that names an intermediate result with `with` is read and not evaluated.",
		Remediation: Remediation{Rewrite, "Make the intermediate result a `derive` and use its name."},
		Failing:     "pub type Book { pages: Int }\npub query long() -> [Book] {\n    with thick = select b from b: Book, b.pages > 500;\n    select b from b: Book\n}\n",
		Repaired:    "pub type Book { pages: Int }\npub derive thick(b: Book) :- b: Book, b.pages > 500;\npub query long() -> [Book] {\n    select b from thick(b)\n}\n",
	},
	{
		Code: "OE1345", Title: "path projection in a query",
		Explanation: "Queries that give whole paths, or that choose between walks, trails and shortest paths, are read and not evaluated.",
		Remediation: Remediation{Rewrite, "Derive reachability with two clauses, and a distance with a counter if it is needed."},
		Failing:     "pub type Book;\npub rel Cites(from: Book, to: Book);\npub query trail(a: Book) -> [Book] {\n    select path p from Cites(a, p)\n}\n",
		Repaired:    "pub type Book;\npub rel Cites(from: Book, to: Book);\npub derive reaches(a: Book, b: Book) :- Cites(a, b);\npub derive reaches(a: Book, b: Book) :- Cites(a, m), reaches(m, b);\npub query trail(a: Book) -> [Book] {\n    select b from reaches(a, b)\n}\n",
	},
	{
		Code: "OE1346", Title: "`optional from` in a query",
		Explanation: "A part of a query that may find nothing is read and not evaluated: its columns would be empty in some rows.",
		Remediation: Remediation{Rewrite, "Ask two queries: one that joins, and one with `not exists { … }` for the rest."},
		Failing:     "pub type Book;\npub rel Cites(from: Book, to: Book);\npub query cited() -> [Book] {\n    select b from b: Book optional from Cites(b, c)\n}\n",
		Repaired:    "pub type Book;\npub rel Cites(from: Book, to: Book);\npub query cited() -> [Book] {\n    select b from b: Book, Cites(b, c)\n}\n",
	},
	{
		Code: "OE1347", Title: "set operator in a query",
		Explanation: "`union`, `intersect` and `except` between queries are read and not evaluated. Rules say the same.",
		Remediation: Remediation{Rewrite, "A union is two `derive` clauses with one head; an intersection is two atoms; a difference is `not`."},
		Failing:     "pub type Book;\npub type Film;\npub query all() -> [Book] {\n    select b from b: Book union select f from f: Film\n}\n",
		Repaired:    "pub type Book;\npub type Film;\npub derive medium(m) :- m: Book;\npub derive medium(m) :- m: Film;\npub query all() -> medium;\n",
	},
	{
		Code: "OE1350", Title: "not supported yet",
		Explanation: "The construct belongs to the language and this version does not take it. It is read to its end, so the rest of the file is still checked, and it is refused as a whole: no part of it is given another meaning.",
		Remediation: Remediation{Rewrite, "The help of the diagnostic names the nearest form that is taken; `docs/status.md` lists what is and what is not."},
		Failing:     "pub fn long() -> Int = 800;\npub type Book { pages: Int = { let n = long(); n + 1 } }\n",
		Repaired:    "pub fn long() -> Int = 800;\npub type Book { pages: Int = long() + 1 }\n",
	},
	{
		Code: "OE1351", Title: "compilation did not finish",
		Explanation: "The compiler stopped before its end: the call was cancelled or ran out of time, or a bound inside the compiler was met. The message says which. Nothing is known about what it had not reached.",
		Remediation: Remediation{ChangeCall, "Run it again, with a longer deadline if that was the reason."},
	},
	{
		Code: "OE1352", Title: "check evaluator that cannot be used",
		Explanation: "`#[evaluator(name)]` leaves the decision of a check to a plugin, and no plugin of that name is configured, or the one that is configured cannot be used: its file is not there, is not the pinned one, or its table is wrong. A check that nobody decides would pass in silence, so the package is not built.",
		Remediation: Remediation{ChangeCall, "Declare the plugin in your own configuration (`ox-mcp plugin pin FILE --name NAME --write`), or trust the package that brings it (`ox-mcp trust PATH`)."},
	},
	{
		Code: "OE1366", Title: "one item that is too large",
		Explanation: "A body has at most 65,536 variables, those that the compiler makes for `_` and for parts of expressions among them, and what is made of it nests at most 512 levels. A chain of operators nests by its operands, since each takes what comes before it, and a fn by its lets, since each has what follows inside.",
		Remediation: Remediation{Rewrite, "Take a part of the body into a fn or a derived predicate of its own, or put a long chain of operands into groups."},
		Failing:     "pub fn long(n: Int) -> Int = n" + strings.Repeat(" + n", 600) + ";\n",
		Repaired:    "pub fn long(n: Int) -> Int = n * 601;\n",
	},
}
