package diag

// 02xx and 0668: which individuals a concept may have.
var conceptEntries = []Entry{
	{
		Code: "OE0211", Title: "manual membership of a defined concept",
		Explanation: "A concept with `iff` has exactly the members of its supertypes that satisfy its condition. They come and go with what the condition reads, so none is put in or taken out by hand: not by `insert`, `delete`, a `fact` or a facts file.",
		Remediation: Remediation{EditSource, "Write what the condition reads, or use `where`: then members are given, and held to the condition."},
		Failing:     "pub type Book { pages: Int }\npub type Tome <: Book iff { self.pages > 800 };\npub fact Tome(emma);\n",
		Repaired:    "pub type Book { pages: Int }\npub type Tome <: Book iff { self.pages > 800 };\npub fact Book(emma) { pages: 820 };\n",
	},
	{
		Code: "OE0240", Title: "member of two disjoint concepts", Stage: StageWrite,
		Explanation: "`disjoint` and `partition` say that no individual is in two of the listed concepts, however it came to be in them: given, by a subtype, or found by an `iff`. A write that brings one into two is refused; over declared facts the build fails.",
		Remediation: Remediation{ChangeCall, "Take the individual out of one of the two in the same mutation, or take one of them out of the group."},
	},
	{
		Code: "OE0241", Title: "member of none of the covering concepts", Stage: StageWrite,
		Explanation: "`complete`, `partition` and a cover say that every member of the parent is in at least one of the listed concepts. A write that leaves one in none of them is refused; over declared facts the build fails.",
		Remediation: Remediation{ChangeCall, "Make the individual a member of one of the covering concepts in the same mutation: `insert` that one in place of the parent."},
	},
	{
		Code: "OE0242", Title: "cover that cannot be complete",
		Explanation: "A concept below the parent, in the same file, can have members of its own and specialises none of the covering concepts, so the cover is broken before there is any data. Where a covering concept has an `iff`, who is in it shows at run time only, and nothing is said here.",
		Remediation: Remediation{EditSource, "List the concept, put it below a listed one, or introduce it with an abstract metatype."},
		Failing:     "pub type Medium;\npub type Book <: Medium;\npub type Film <: Medium;\ncomplete Medium { Book }\n",
		Repaired:    "pub type Medium;\npub type Book <: Medium;\npub type Film <: Medium;\ncomplete Medium { Book, Film }\n",
	},
	{
		Code: "OE0243", Title: "covering concept outside its parent",
		Explanation: "A concept that covers a parent must specialise it, directly or by way of others: members that it has outside the parent cover nothing.",
		Remediation: Remediation{EditSource, "Declare the concept below the parent with `<:`, or take it off the list."},
		Failing:     "pub type Medium;\npub type Book <: Medium;\npub type Film;\ncomplete Medium { Book, Film }\n",
		Repaired:    "pub type Medium;\npub type Book <: Medium;\npub type Film <: Medium;\ncomplete Medium { Book, Film }\n",
	},
	{
		Code: "OE0280", Title: "refinement of nothing",
		Explanation: "A concept with `iff` takes its members from its supertypes, and has none; or the braces of a refinement are empty.",
		Remediation: Remediation{EditSource, "Name the concept that the members are taken from with `<:`, and give a condition on `self`."},
		Failing:     "pub rel Torn(what: Top);\npub type Waste iff { Torn(self) };\n",
		Repaired:    "pub type Book;\npub rel Torn(what: Top);\npub type Waste <: Book iff { Torn(self) };\n",
	},
	{
		Code: "OE0281", Title: "definition that depends on itself",
		Explanation: "The condition of an `iff` reads the members of its own concept, directly or by way of other definitions. It would say who is in it only to somebody who knows already.",
		Remediation: Remediation{Rewrite, "Say it with a `derive`, which may be recursive, and read that in the `iff`."},
		Failing:     "pub type Book;\npub rel Cites(a: Book, b: Book);\npub type Rooted <: Book iff { exists { Cites(self, b), b: Rooted } };\n",
		Repaired:    "pub type Book;\npub rel Cites(a: Book, b: Book);\npub derive rooted(a) :- Cites(a, b), rooted(b);\npub type Rooted <: Book iff { rooted(self) };\n",
	},
	{
		Code: "OE0282", Title: "group that says nothing, or what cannot be",
		Explanation: "Disjoint concepts of which one specialises another, or that have a subtype in common, leave one of them without any possible member; a concept listed twice, or a group of one, says nothing.",
		Remediation: Remediation{EditSource, "List different concepts, none of them below another, and no common subtype of two disjoint ones."},
		Failing:     "pub type Book;\npub type Novel <: Book;\ndisjoint { Book, Novel }\n",
		Repaired:    "pub type Book;\npub type Novel <: Book;\npub type Film;\ndisjoint { Book, Film }\n",
	},
	{
		Code: "OE0283", Title: "view that does not fit its relation",
		Explanation: "A field with `from` shows, for an individual at one endpoint of the relation, what stands at another. Its concept and its type must say which endpoints these are; where both directions fit, or several endpoints of a type, the one of the values is named behind a point. A field without brackets needs a cardinality of at most one there. Structs and relations have no such fields.",
		Remediation: Remediation{EditSource, "Name the endpoint of the values, `from R.endpoint`; give the field a list type `[T]`; or name another relation."},
		Failing:     "pub type Book { cited: [Book] from Cites }\npub rel Cites(book: Book, source: Book);\n",
		Repaired:    "pub type Book { cited: [Book] from Cites.source, citing: [Book] from Cites.book }\npub rel Cites(book: Book, source: Book);\n",
	},
	{
		Code: "OE0284", Title: "write of a view",
		Explanation: "A field with `from` stores nothing: it shows the tuples of a relation. So it takes no value, no default and no `mut`.",
		Remediation: Remediation{EditSource, "Write the relation that it shows."},
		Failing:     "pub type Shelf { books: [Book] from StandsOn }\npub type Book;\npub rel StandsOn(book: Book, shelf: Shelf);\npub mutate place(b: Book, s: Shelf) { insert b into s.books; }\n",
		Repaired:    "pub type Shelf { books: [Book] from StandsOn }\npub type Book;\npub rel StandsOn(book: Book, shelf: Shelf);\npub mutate place(b: Book, s: Shelf) { insert StandsOn(b, s); }\n",
	},
	{
		Code: "OW0157", Title: "fixed concept whose members can change",
		Explanation: "The concept's metatype is `fixed`: what is a member is one for as long as it exists. But its members are those that its `iff` finds, and that reads a `mut` field, a relation or another membership that writes can change.",
		Remediation: Remediation{EditSource, "Introduce the concept with a metatype that is not fixed, or let the condition read only fields without `mut` and fixed concepts."},
		Failing:     "pub fixed metatype kind = {};\npub kind Book { mut pages: Int }\npub kind Tome <: Book iff { self.pages > 800 };\n",
		Repaired:    "pub fixed metatype kind = {};\npub metatype phase = {};\npub kind Book { mut pages: Int }\npub phase Tome <: Book iff { self.pages > 800 };\n",
	},
	{
		Code: "OE0668", Title: "grant against a `where`", Stage: StageWrite,
		Explanation: "A concept with `where` has the members that it was given, each of which must satisfy its condition for as long as it is one; a value that is absent does not. A write after which one does not is refused, be it the grant or a later update; over declared facts the build fails. The same holds for what is put into a subtype of a concept with `iff`.",
		Remediation: Remediation{ChangeCall, "Set the fields that the condition reads in the same mutation, or take the membership away."},
	},
}
