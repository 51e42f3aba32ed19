package diag

// 029x: type arguments, functions as values, and the operator ?.
var dataEntries = []Entry{
	{
		Code: "OE0290", Title: "wrong number of type arguments",
		Explanation: "A struct or enum with type parameters is a type only together with one type for each of them; one without takes none.",
		Remediation: Remediation{EditSource, "Write one type for each type parameter between `<` and `>`."},
		Failing:     "pub struct Loan<T> { item: T, days: Nat }\npub fn days(l: Loan) -> Nat = l.days;\n",
		Repaired:    "pub struct Loan<T> { item: T, days: Nat }\npub fn days(l: Loan<String>) -> Nat = l.days;\n",
	},
	{
		Code: "OE0291", Title: "operator ? that cannot leave",
		Explanation: "`x?` is the value of an Ok or a Some; otherwise it leaves the function that it stands in, with that Err or None. So the function has to give a Result or an Option of the same kind, and `?` has to stand where its body can be left: in no comprehension, aggregate, subquery or guard, and in no mutate, test or rule.",
		Remediation: Remediation{Rewrite, "Give the function a result of that kind, or match on the value."},
		Failing:     "pub fn pages(n: Nat?) -> Nat = n? + 1;\n",
		Repaired:    "pub fn pages(n: Nat?) -> Nat? = n? + 1;\n",
	},
	{
		Code: "OE0292", Title: "function that leaves its body",
		Explanation: "A function as a value lives in the body that makes it, and in the functions that this body calls. It is no value of the knowledge base: no concept, relation, derived predicate, query or mutation has a place for one, and an ad-hoc body makes none.",
		Remediation: Remediation{Rewrite, "Store what decides, an enum say, and declare a fn that matches on it."},
		Failing:     "pub type Library { fee: fn(Nat) -> Nat }\n",
		Repaired:    "pub enum Fee { Free, Daily(Nat) }\npub type Library { fee: Fee }\npub fn fee(f: Fee, days: Nat) -> Nat = match f { Fee::Free => 0, Fee::Daily(n) => n * days };\n",
	},
	{
		Code: "OW0290", Title: "arm that no value comes to",
		Explanation: "The arms of a `match` are tried in order, and the arms before this one take every value that it could take. Usually two arms are in the wrong order, or a name that was meant as a constant binds the value.",
		Remediation: Remediation{EditSource, "Take the arm out, move it up, or write the constant with its enum's name."},
		Failing:     "pub enum Shelf { High, Low }\npub fn reach(s: Shelf) -> Bool = match s { Shelf::High => false, _ => true, Shelf::Low => true };\n",
		Repaired:    "pub enum Shelf { High, Low }\npub fn reach(s: Shelf) -> Bool = match s { Shelf::High => false, _ => true };\n",
	},
}
