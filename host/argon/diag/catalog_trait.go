package diag

// traitBase is what the examples of traits begin with.
const traitBase = "pub type Item { days: Int }\npub type Book <: Item;\npub type Atlas <: Item;\n" +
	"pub trait Lendable { derive lendable(Self) fn fee(self) -> Int; }\n"

// 1327 and 136x: traits and implementations.
var traitEntries = []Entry{
	{
		Code: "OE1327", Title: "trait member not covered",
		Explanation: "An atom or call of a trait's member is about something that, as far as its type says, does not implement the trait, or of which only some subtypes do. A rule member would be false for the rest and a fn would have no body. An implementation for a concept is there for everything below it.",
		Remediation: Remediation{EditSource, "Test for a type that implements the trait (`x: C`), or add the implementation."},
		Failing:     traitBase + "impl Lendable for Book { derive lendable(b) :- b.days > 3; fn fee(self) -> Int = 2; }\npub derive wanted(x) :- x: Item, lendable(x);\n",
		Repaired:    traitBase + "impl Lendable for Book { derive lendable(b) :- b.days > 3; fn fee(self) -> Int = 2; }\npub derive wanted(x) :- x: Book, lendable(x);\n",
	},
	{
		Code: "OE1360", Title: "member that an implementation lacks",
		Explanation: "A trait says what an implementing type owes. A member with a body in the trait is given where an implementation leaves it out; every other has to be in the implementation.",
		Remediation: Remediation{EditSource, "Add the member, or give it a body in the trait."},
		Failing:     traitBase + "impl Lendable for Book { derive lendable(b) :- b.days > 3; }\n",
		Repaired:    traitBase + "impl Lendable for Book { derive lendable(b) :- b.days > 3; fn fee(self) -> Int = 2; }\n",
	},
	{
		Code: "OE1361", Title: "implementation of a foreign trait for a foreign type",
		Explanation: "An implementation stands in the package of its trait or in that of its type. Two other packages could each bring one, and the two would meet where both are used.",
		Remediation: Remediation{EditSource, "Declare a trait or a subtype of your own and implement that."},
		Failing:     "-- ox.toml --\n[package]\nname = \"example\"\nprelude = [\"std::core::type\"]\n\n[dependencies]\nshelf = { path = \"shelf\" }\n-- root.ar --\nuse shelf::{Lendable, Book};\nimpl Lendable for Book { derive lendable(b) :- b: Book; }\n-- shelf/ox.toml --\n[package]\nname = \"shelf\"\nprelude = [\"std::core::type\"]\n-- shelf/root.ar --\npub type Book;\npub trait Lendable { derive lendable(Self) }\n",
		Repaired:    "-- ox.toml --\n[package]\nname = \"example\"\nprelude = [\"std::core::type\"]\n\n[dependencies]\nshelf = { path = \"shelf\" }\n-- root.ar --\nuse shelf::{Lendable, Book};\npub type Atlas <: Book;\nimpl Lendable for Atlas { derive lendable(b) :- b: Book; }\n-- shelf/ox.toml --\n[package]\nname = \"shelf\"\nprelude = [\"std::core::type\"]\n-- shelf/root.ar --\npub type Book;\npub trait Lendable { derive lendable(Self) }\n",
	},
	{
		Code: "OE1362", Title: "implementations that meet",
		Explanation: "Two implementations of a trait are there for one type: both name it, or one names a type above it. No order decides which of them is meant.",
		Remediation: Remediation{EditSource, "Leave one of them, or implement the trait for the subtypes only."},
		Failing:     traitBase + "impl Lendable for Item { derive lendable(b) :- b.days > 3; fn fee(self) -> Int = 2; }\nimpl Lendable for Book { derive lendable(b) :- b.days > 9; fn fee(self) -> Int = 3; }\n",
		Repaired:    traitBase + "impl Lendable for Atlas { derive lendable(b) :- b.days > 3; fn fee(self) -> Int = 2; }\nimpl Lendable for Book { derive lendable(b) :- b.days > 9; fn fee(self) -> Int = 3; }\n",
	},
	{
		Code: "OE1363", Title: "member that is not as the trait says",
		Explanation: "A member of an implementation has the name, the kind, the parameters and the types that the trait gives it, and a body; a parameter may take more than the trait says, and a result be of less. Checks are the trait's own: they are there for every implementing type.",
		Remediation: Remediation{EditSource, "Write the member as the trait says; declare anything else outside of the implementation."},
		Failing:     traitBase + "impl Lendable for Book { derive lendable(b, n) :- n = b.days; fn fee(self) -> Int = 2; }\n",
		Repaired:    traitBase + "impl Lendable for Book { derive lendable(b) :- b.days > 3; fn fee(self) -> Int = 2; }\n",
	},
	{
		Code: "OE1364", Title: "trait without the trait that it rests on",
		Explanation: "`trait T <: S` says that whatever implements T implements S too.",
		Remediation: Remediation{EditSource, "Add the implementation of the other trait for this type, or for one above it."},
		Failing:     "pub type Book;\npub trait Lendable { derive lendable(Self) }\npub trait Reserved <: Lendable { derive reserved(Self) }\nimpl Reserved for Book { derive reserved(b) :- b: Book; }\n",
		Repaired:    "pub type Book;\npub trait Lendable { derive lendable(Self) }\npub trait Reserved <: Lendable { derive reserved(Self) }\nimpl Lendable for Book { derive lendable(b) :- b: Book; }\nimpl Reserved for Book { derive reserved(b) :- b: Book; }\n",
	},
	{
		Code: "OE1365", Title: "type argument that lacks what its bound asks",
		Explanation: "A type parameter with a bound, `T: Trait` or `T: Concept`, stands only for types that implement the trait, or that are the concept or below it. What the declaration does with values of T rests on that.",
		Remediation: Remediation{EditSource, "Implement the trait for the type, or give a value of a type that does."},
		Failing:     traitBase + "impl Lendable for Book { derive lendable(b) :- b.days > 3; fn fee(self) -> Int = 2; }\nfn both<T: Lendable>(a: T, b: T) -> Int = a.fee() + b.fee();\npub fn cost(a: Atlas) -> Int = both(a, a);\n",
		Repaired:    traitBase + "impl Lendable for Book { derive lendable(b) :- b.days > 3; fn fee(self) -> Int = 2; }\nfn both<T: Lendable>(a: T, b: T) -> Int = a.fee() + b.fee();\npub fn cost(a: Book) -> Int = both(a, a);\n",
	},
}
