package diag

// 19xx: concepts that are members of other concepts.
var instanceEntries = []Entry{
	{
		Code: "OE1950", Title: "instance without a required field",
		Explanation: "The concept is declared as an instance of another (`: Higher`), whose fields it has values for. A field that is neither optional, nor a collection, nor defaulted needs one.",
		Remediation: Remediation{EditSource, "Give the field a value in the body: `name = value`."},
		Failing:     "pub type Genre { code: String, loan_days: Int = 14 }\npub type Book;\npub type Novel <: Book : Genre;\n",
		Repaired:    "pub type Genre { code: String, loan_days: Int = 14 }\npub type Book;\npub type Novel <: Book : Genre { code = \"N\" }\n",
	},
	{
		Code: "OE1951", Title: "value in a concept that is no instance",
		Explanation: "`field = value` in a body says what the concept itself has as an instance of a higher concept, and this one is an instance of nothing. What its members have unless they say otherwise is the default of a field, which is written with the field's type.",
		Remediation: Remediation{EditSource, "Name the higher concept behind `:`, or write `field: Type = value`."},
		Failing:     "pub type Book { pages = 100 }\n",
		Repaired:    "pub type Book { pages: Int = 100 }\n",
	},
	{
		Code: "OE1953", Title: "concept that is an instance of itself",
		Explanation: "Instantiation by declaration is well-founded: going up from a concept to what it is an instance of never comes back.",
		Remediation: Remediation{EditSource, "Take one of the instantiations out. A theory without levels says what it means with seeds: `derive iof(A, A);`."},
		Failing:     "pub type Kind : Sort;\npub type Sort : Kind;\n",
		Repaired:    "pub type Kind : Sort;\npub type Sort;\nderive iof(Sort, Kind);\n",
	},
}
