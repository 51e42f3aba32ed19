package diag

// 1258 and 1259: standpoints where they cannot be.
var standpointEntries = []Entry{
	{
		Code: "OE1258", Title: "standpoint inside a standpoint",
		Explanation: "A standpoint is a layer of facts, and layers are ordered by `<:`, not by standing inside one another. Inside a standpoint there may be facts, rules, types and modules, and no other standpoint.",
		Remediation: Remediation{EditSource, "Declare it beside the other one; write `<:` if it should see the other's facts."},
		Failing:     "pub standpoint court { pub standpoint appeal; }\n",
		Repaired:    "pub standpoint court;\npub standpoint appeal <: court;\n",
	},
	{
		Code: "OE1259", Title: "module where a standpoint should stand",
		Explanation: "`across` and the `<:` of a standpoint name standpoints. This name leads to an ordinary module, which has no facts of its own: they belong to all views.",
		Remediation: Remediation{EditSource, "Declare it with `standpoint` in the place of `mod`, or name a standpoint."},
		Failing:     "pub type Book;\nmod court { }\npub query books() -> Book across [court];\n",
		Repaired:    "pub type Book;\npub standpoint court { }\npub query books() -> Book across [court];\n",
	},
}
