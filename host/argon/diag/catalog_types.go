package diag

// 02xx and 03xx: types, declarations and attributes.
var typeEntries = []Entry{
	{
		Code: "OE0201", Title: "wrong kind of declaration",
		Explanation: "The name resolves, but to another kind of thing than may stand here: a relation where a concept is needed, a function where a type is, and so on.",
		Remediation: Remediation{EditSource, "Name a declaration of the kind that the message asks for."},
		Failing:     "pub type Book;\npub rel Cites(a: Book, b: Book);\npub type Essay <: Cites;\n",
		Repaired:    "pub type Book;\npub rel Cites(a: Book, b: Book);\npub type Essay <: Book;\n",
	},
	{
		Code: "OE0255", Title: "asserted and refuted at once",
		Explanation: "A `fact` and a `not_fact` of the same layer say opposite things about one tuple. Different standpoints may disagree; one source may not disagree with itself.",
		Remediation: Remediation{EditData, "Remove one of the two."},
		Failing:     "pub type Book;\npub fact Book(emma);\npub not_fact Book(emma);\n",
		Repaired:    "pub type Book;\npub fact Book(emma);\n",
	},
	{
		Code: "OE0257", Title: "type mismatch",
		Explanation: "A value of one type stands where another is needed. Int may stand for Real and Decimal, Nat for Int; nothing else converts by itself. Values of unrelated types cannot be compared either, since the answer would never be other than no.",
		Remediation: Remediation{EditSource, "Change the value or the declared type."},
		Failing:     "pub fn pages() -> Int = \"many\";\n",
		Repaired:    "pub fn pages() -> Int = 320;\n",
	},
	{
		Code: "OE0258", Title: "wrong number of arguments",
		Explanation: "A call, atom, fact, pattern or supertype has more or fewer places than the declaration. In an atom, `_` stands for a place that does not matter.",
		Remediation: Remediation{EditSource, "Give one argument for each place."},
		Failing:     "pub type Book;\npub rel Cites(from: Book, to: Book);\npub derive cited(b: Book) :- Cites(b);\n",
		Repaired:    "pub type Book;\npub rel Cites(from: Book, to: Book);\npub derive cited(b: Book) :- Cites(_, b);\n",
	},
	{
		Code: "OE0259", Title: "unknown field",
		Explanation: "The type has no field of this name, neither its own nor one that it inherits. Fields of a subtype can be read only where the variable is known to be of the subtype.",
		Remediation: Remediation{EditSource, "Correct the name, declare the field, or test for the subtype that has it."},
		Failing:     "pub type Book { title: String }\npub derive titled(b: Book) :- b: Book, b.titel == \"Emma\";\n",
		Repaired:    "pub type Book { title: String }\npub derive titled(b: Book) :- b: Book, b.title == \"Emma\";\n",
	},
	{
		Code: "OE0260", Title: "match that leaves a case out",
		Explanation: "A `match` gives a value for every case, and for some value of its subject no arm fits. An arm with a guard does not count, since the guard may be false.",
		Remediation: Remediation{EditSource, "Add the missing arms, or a last arm `_`."},
		Failing:     "pub enum Shelf { High, Middle, Low }\npub fn reach(s: Shelf) -> Bool = match s { Shelf::High => false, Shelf::Low => true };\n",
		Repaired:    "pub enum Shelf { High, Middle, Low }\npub fn reach(s: Shelf) -> Bool = match s { Shelf::High => false, _ => true };\n",
	},
	{
		Code: "OE0261", Title: "not callable from here",
		Explanation: "What a declaration may call depends on what it promises: a `fn` is pure, a `query` and a rule read, only a `mutate` and a test write. This call would break the promise of the declaration that it stands in.",
		Remediation: Remediation{EditSource, "Move the call to a `mutate`, or call something that only computes."},
		Failing:     "pub type Book;\npub mutate discard(b: Book) -> Bool { delete iof(b, Book); return true; }\npub fn tidy(b: Book) -> Bool = discard(b);\n",
		Repaired:    "pub type Book;\npub mutate discard(b: Book) -> Bool { delete iof(b, Book); return true; }\npub mutate tidy(b: Book) { discard(b); }\n",
	},
	{
		Code: "OE0262", Title: "declared twice",
		Explanation: "Two declarations of one module, or two fields, constants, endpoints or parameters of one declaration, have the same name. Clauses of `derive` with one head and the same number of places belong together and are no clash.",
		Remediation: Remediation{EditSource, "Rename or remove one of them."},
		Failing:     "pub type Book;\npub enum Book { Novel, Essay }\n",
		Repaired:    "pub type Book;\npub enum Genre { Novel, Essay }\n",
	},
	{
		Code: "OE0263", Title: "cell that is no value of its column",
		Explanation: "A cell of a [facts] file has a text that the type of its endpoint or field does not read, or a required cell is empty. Cells are read like literals without quotes: 12, 12.50, 2031-07-04, true; an individual by its name.",
		Remediation: Remediation{EditData, "Correct the cell at the line shown, or the declared type."},
		Failing:     "-- ox.toml --\n[package]\nname = \"shop\"\nprelude = [\"std::core::type\", \"std::core::rel\"]\n[facts]\n\"root::Price\" = \"price.csv\"\n-- root.ar --\npub type Book;\npub rel Price(book: Book, pence: Int);\n-- price.csv --\nbook,pence\nemma,cheap\n",
		Repaired:    "-- ox.toml --\n[package]\nname = \"shop\"\nprelude = [\"std::core::type\", \"std::core::rel\"]\n[facts]\n\"root::Price\" = \"price.csv\"\n-- root.ar --\npub type Book;\npub rel Price(book: Book, pence: Int);\n-- price.csv --\nbook,pence\nemma,899\n",
	},
	{
		Code: "OE0264", Title: "field left out",
		Explanation: "A struct value has all its fields, so a literal may leave out only those with a default or an optional type. A pattern names every field or ends with `..`.",
		Remediation: Remediation{EditSource, "Give the field, take the rest from another value (`..base`), or end the pattern with `..`."},
		Failing:     "pub struct Size { width: Int, height: Int }\npub fn square(n: Int) -> Size = Size { width: n };\n",
		Repaired:    "pub struct Size { width: Int, height: Int }\npub fn square(n: Int) -> Size = Size { width: n, height: n };\n",
	},
	{
		Code: "OE0265", Title: "field given twice",
		Explanation: "A field of the value has two initial values, and only one can hold.",
		Remediation: Remediation{EditSource, "Remove one of them."},
		Failing:     "pub struct Size { width: Int, height: Int }\npub fn square(n: Int) -> Size = Size { width: n, width: n, height: n };\n",
		Repaired:    "pub struct Size { width: Int, height: Int }\npub fn square(n: Int) -> Size = Size { width: n, height: n };\n",
	},
	{
		Code: "OE0266", Title: "pattern that does not fit",
		Explanation: "The pattern is of another type than the value, has another form than the constant it names, or binds variables in one alternative of `p | q` only.",
		Remediation: Remediation{EditSource, "Use a pattern of the value's type, in the form in which the constant is declared."},
		Failing:     "pub enum Shelf { High, Low }\npub enum Genre { Novel, Essay }\npub fn reach(s: Shelf) -> Bool = match s { Genre::Novel => true, _ => false };\n",
		Repaired:    "pub enum Shelf { High, Low }\npub enum Genre { Novel, Essay }\npub fn reach(s: Shelf) -> Bool = match s { Shelf::Low => true, _ => false };\n",
	},
	{
		Code: "OE0269", Title: "nothing to hold on to",
		Explanation: "`_` stands for any value where only that something is there matters: as an argument of an atom. Where a value is computed, compared or derived, it needs a name. `not` likewise has no meaning before `x = e`, which gives a name to a value.",
		Remediation: Remediation{EditSource, "Name the value; for `not x = e` write `x != e`."},
		Failing:     "pub type Book { pages: Int }\npub derive thick(b: Book) :- b: Book, b.pages > _;\n",
		Repaired:    "pub type Book { pages: Int }\npub derive thick(b: Book) :- b: Book, b.pages > 500;\n",
	},
	{
		Code: "OE0270", Title: "write of something derived",
		Explanation: "Facts and mutations write what is asserted: memberships, fields and relations. A derived predicate follows from these, and a tuple written into it would be neither asserted nor derived.",
		Remediation: Remediation{EditSource, "Write what it is derived from. A `derive` without a body adds one tuple for good."},
		Failing:     "pub type Book;\npub derive good(b: Book) :- b: Book;\npub fact good(emma);\n",
		Repaired:    "pub type Book;\npub derive good(b: Book) :- b: Book;\npub fact Book(emma);\n",
	},
	{
		Code: "OE0271", Title: "two values for one key",
		Explanation: "Facts give a field, or another relation with a key, two different values for the same individual. At any time there is one.",
		Remediation: Remediation{EditData, "Keep one of them. If both can be true, make the field a set `[T]` or a relation."},
		Failing:     "pub type Book { pages: Int }\npub fact Book(emma) { pages: 320 };\npub fact Book(emma) { pages: 350 };\n",
		Repaired:    "pub type Book { pages: Int }\npub fact Book(emma) { pages: 320 };\n",
	},
	{
		Code: "OE0272", Title: "payload that is no Diagnostic",
		Explanation: "What a check says of each violation is a `Diagnostic` with severity, code and message.",
		Remediation: Remediation{EditSource, "Write `=> Diagnostic { severity: Severity::Error, code: \"…\", message: \"…\" }`."},
		Failing:     "pub struct Note { text: String }\npub type Book { pages: Int }\npub check Thin(b: Book) :- b: Book, b.pages < 10 => Note { text: \"thin\" };\n",
		Repaired:    "use std::core::{Diagnostic, Severity};\npub type Book { pages: Int }\npub check Thin(b: Book) :- b: Book, b.pages < 10 => Diagnostic { severity: Severity::Warning, code: \"SHOP-1\", message: \"thin\" };\n",
	},
	{
		Code: "OE0350", Title: "unknown attribute",
		Explanation: "No attribute has this name. Attributes change what a declaration means, so one that is not understood is never passed over.",
		Remediation: Remediation{EditSource, "Correct the name, or take the attribute out."},
		Failing:     "#[wrold(closed)]\npub type Book;\n",
		Repaired:    "#[world(closed)]\npub type Book;\n",
	},
	{
		Code: "OE0351", Title: "attribute that does not fit",
		Explanation: "The attribute exists, but not on this kind of declaration, or not with these arguments.",
		Remediation: Remediation{EditSource, "Give the arguments that the message lists, or move the attribute."},
		Failing:     "#[world(ajar)]\npub type Book;\n",
		Repaired:    "#[world(closed)]\npub type Book;\n",
	},
}

// 02xx: gates of writes.
var writeEntries = []Entry{
	{
		Code: "OE0251", Title: "membership of a fixed concept cannot change",
		Explanation: "The concept's metatype is `fixed`: what is a member is one for as long as it exists. A write may make a new member with `insert C { … }`, but not take an individual in or out.",
		Remediation: Remediation{EditSource, "Make a new individual, or model the changing part as a concept whose metatype is not fixed."},
		Failing:     "pub fixed metatype kind = {};\npub kind Book;\npub mutate discard(b: Book) { delete iof(b, Book); }\n",
		Repaired:    "pub fixed metatype kind = {};\npub metatype role = {};\npub kind Book;\npub role Borrowed <: Book;\npub mutate hand_back(b: Book) { delete iof(b, Borrowed); }\n",
	},
	{
		Code: "OE0252", Title: "cardinality exceeded", Stage: StageWrite,
		Explanation: "The relation's bracket for this place bounds how many values go with one combination of the other places, and there are more.",
		Remediation: Remediation{ChangeCall, "Delete the old tuple in the same mutation, or widen the bound if several values are right."},
	},
	{
		Code: "OE0254", Title: "required field not given",
		Explanation: "`insert C { … }` makes an individual with all its fields. This one has no value for a field that has neither a default nor an optional type `T?`.",
		Remediation: Remediation{EditSource, "Give the field a value, give it a default, or make its type optional."},
		Failing:     "pub type Book { title: String }\npub mutate acquire() { insert Book { }; }\n",
		Repaired:    "pub type Book { title: String }\npub mutate acquire(t: String) { insert Book { title: t }; }\n",
	},
	{
		Code: "OE0256", Title: "update of a field that is not mut",
		Explanation: "`update` may set only fields that are declared `mut`. The others have the value for good that they got when the individual was made.",
		Remediation: Remediation{EditSource, "Declare the field `mut`, or do not set it."},
		Failing:     "pub type Book { title: String }\npub mutate rename(b: Book, t: String) { update b set { title = t }; }\n",
		Repaired:    "pub type Book { mut title: String }\npub mutate rename(b: Book, t: String) { update b set { title = t }; }\n",
	},
	{
		Code: "OW0150", Title: "endpoint or holder of a field outside its type", Stage: StageWrite,
		Explanation: "A fact relates an individual that is no member of the type that the endpoint declares, or a field of a type has a value for one that is no member of it, for instance because its name is misspelt. What was written holds: neither makes its individuals members of anything. Rules that join with the type will not see it.",
		Remediation: Remediation{EditData, "Add the membership: `fact C(x);`, or correct the name."},
	},
	{
		Code: "OW0151", Title: "fewer tuples than the lower bound", Stage: StageWrite,
		Explanation: "The relation's bracket asks for at least so many values and there are fewer. A lower bound never refuses a write, because what is missing may come with the next one.",
		Remediation: Remediation{EditData, "Add the missing tuples, or lower the bound."},
	},
	{
		Code: "OW0158", Title: "fold over several currencies", Stage: StageWrite,
		Explanation: "A rule or query folds amounts of money that are not all of one currency, or one with a currency with a plain number. Such a sum, average, least or greatest amount has no value, so it gives no row there. Zero without a currency goes with each.",
		Remediation: Remediation{EditData, "Correct the amounts, or fold those of each currency apart, by a field that says which it is."},
	},
	{
		Code: "OW0152", Title: "check not evaluated", Stage: StageWrite,
		Explanation: "Evaluating what the check reads ran into a limit, which the message names. Nothing is known about its violations; the artifact is written all the same, and reads and writes that depend on the rule answer with the limit.",
		Remediation: Remediation{EditSource, "See whether the rule can end at all (a counter in a recursive head never does), or raise the limit."},
	},
}

// 02xx: reflection and abstract concepts.
var reflectionEntries = []Entry{
	{
		Code: "OE0212", Title: "reflection on no certain type",
		Explanation: "`meta(t)` and `iof(x, t)` ask about a type that is known: a name, or a variable that another atom binds. They do not go through all types there are. Only the other predicates about declarations (`specializes`, `rel`, `arm`, `implements`) bind their variables themselves.",
		Remediation: Remediation{EditSource, "Name the type, or bind the variable: `t: TypeRef` goes through all concepts and relations, `t: TypeRef<C>` through those at or below C."},
		Failing:     "pub metatype kind = {};\npub kind Book;\npub derive kinds(t) :- meta(t) == kind;\n",
		Repaired:    "pub metatype kind = {};\npub kind Book;\npub derive kinds(t) :- t: TypeRef, meta(t) == kind;\n",
	},
	{
		Code: "OE0233", Title: "individual of an abstract concept",
		Explanation: "The concept's metatype is `abstract`: it has members only through its subtypes, so nothing can be made or asserted to be just that.",
		Remediation: Remediation{EditSource, "Name one of the subtypes."},
		Failing:     "pub abstract metatype category = {};\npub category Medium;\npub type Book <: Medium;\npub fact Medium(emma);\n",
		Repaired:    "pub abstract metatype category = {};\npub category Medium;\npub type Book <: Medium;\npub fact Book(emma);\n",
	},
}
