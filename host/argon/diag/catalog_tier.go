package diag

// 1353 to 1355: what a rule may say, by the tiers.
var tierEntries = []Entry{
	{
		Code: "OE1353", Title: "rule above its declared tier",
		Explanation: "`#[dec(tier: …)]` on an item or on a module around it, or `max_tier` of the manifest, says how much a rule may say, and this one says more. The message names what lifts it. The tiers are, low to high: structural (subsumption), closure (joins, paths, transitive closure), expressive (negation, counts, conditions on values), recursive (recursion of any form, folds, computed values), fol, modal, metaorder; and for time: none, snapshot, acyclic-stratified, stratified, forward-propagating, unstratified.",
		Remediation: Remediation{Rewrite, "Take out what lifts the rule, move it into a module of its own, or declare the higher tier."},
		Failing:     "pub type Book;\npub rel Cites(from: Book, to: Book);\n#[dec(tier: closure)]\npub derive original(b: Book) :- b: Book, not Cites(b, _);\n",
		Repaired:    "pub type Book;\npub rel Cites(from: Book, to: Book);\n#[dec(tier: expressive)]\npub derive original(b: Book) :- b: Book, not Cites(b, _);\n",
	},
	{
		Code: "OE1354", Title: "unsafe logic",
		Explanation: "A block of `unsafe logic` is full first-order logic, of which no procedure can say in the end whether it holds. It is read to its end and never evaluated.",
		Remediation: Remediation{Rewrite, "Say it with rules: a `forall` has no counterexample (`not` of a derive that finds one), an `exists` is `exists { atoms }`, a disjunction is two clauses of one head."},
		Failing:     "pub type Book;\npub rel Cites(from: Book, to: Book);\nunsafe logic { forall b: Book. exists c: Book. Cites(b, c) }\n",
		Repaired:    "pub type Book;\npub rel Cites(from: Book, to: Book);\npub derive uncited(b: Book) :- b: Book, not Cites(_, b);\n",
	},
	{
		Code: "OE1355", Title: "temporal operator over too much",
		Explanation: "An operator over time is evaluated up to the temporal tier acyclic-stratified: what it reads is stated, or derived from that by joins and conditions, other operators included. What is derived by recursion, by a negation, by an aggregate or by the day of the call is not followed from day to day.",
		Remediation: Remediation{Rewrite, "Let the operator read what the recursion or negation reads, and recur or negate over what it gives: `not box_minus[0, 7](P(x))` is fine."},
		Failing:     "pub type Book;\npub rel Cites(from: Book, to: Book);\npub derive reaches(a: Book, b: Book) :- Cites(a, b);\npub derive reaches(a: Book, b: Book) :- reaches(a, m), Cites(m, b);\npub derive lately(a: Book) :- diamond_minus[0, 30](reaches(a, _));\n",
		Repaired:    "pub type Book;\npub rel Cites(from: Book, to: Book);\npub derive cited(a: Book, b: Book) :- diamond_minus[0, 30](Cites(a, b));\npub derive lately(a: Book, b: Book) :- cited(a, b);\npub derive lately(a: Book, b: Book) :- lately(a, m), cited(m, b);\n",
	},
}
