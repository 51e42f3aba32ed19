package diag

// 0650 to 0654: meta axes.
var axisEntries = []Entry{
	{
		Code: "OE0650", Title: "unknown meta axis",
		Explanation: "A metatype, a metarel or a declaration in its place says where it stands on an axis, and no axis of that name is in scope. A value on an axis that nobody declared would be read by no rule.",
		Remediation: Remediation{EditSource, "Correct the name, import the axis, or declare it with `pub metaxis`."},
		Failing:     "pub metaxis motion for metatype { still, moving };\npub metatype craft = { moton: moving };\n",
		Repaired:    "pub metaxis motion for metatype { still, moving };\npub metatype craft = { motion: moving };\n",
	},
	{
		Code: "OE0651", Title: "value outside its meta axis",
		Explanation: "An axis lists its values, or takes those of a type that satisfy its condition. This value is none of them.",
		Remediation: Remediation{EditSource, "Choose one of the axis's values, or add the value to the axis."},
		Failing:     "pub metaxis motion for metatype { still, moving };\npub metaxis rank for metatype = Nat where _ <= 9;\npub metatype craft = { motion: flying, rank: 12 };\n",
		Repaired:    "pub metaxis motion for metatype { still, moving, flying };\npub metaxis rank for metatype = Nat where _ <= 12;\npub metatype craft = { motion: flying, rank: 12 };\n",
	},
	{
		Code: "OE0652", Title: "meta axis of something else",
		Explanation: "An axis says behind `for` what it describes: metatypes and the concepts that they introduce, metarels and the relations that they introduce, individuals or macros. Here something else is put on it.",
		Remediation: Remediation{EditSource, "Widen the axis (`for [metatype, metarel]`), or use an axis that is for this."},
		Failing:     "pub metaxis motion for metatype { still, moving };\npub metarel link(a: type, b: type) { motion: still };\n",
		Repaired:    "pub metaxis motion for [metatype, metarel] { still, moving };\npub metarel link(a: type, b: type) { motion: still };\n",
	},
	{
		Code: "OE0653", Title: "two places on one meta axis",
		Explanation: "A metatype, metarel or declaration stands at one place of an axis, and here it says two.",
		Remediation: Remediation{EditSource, "Keep one of the two values."},
		Failing:     "pub metaxis motion for metatype { still, moving };\npub metatype craft = { motion: still, motion: moving };\n",
		Repaired:    "pub metaxis motion for metatype { still, moving };\npub metatype craft = { motion: moving };\n",
	},
	{
		Code: "OE0654", Title: "reflection on what has no classification",
		Explanation: "Structs, enums and values of them have no identity and no metatype: a reference refers to a concept, a relation, a metatype, a metarel or a trait, and only these can be asked about.",
		Remediation: Remediation{EditSource, "Ask about a concept, or make the declaration one."},
		Failing:     "pub struct Size { width: Int }\npub type Box;\npub derive flat(t) :- t: TypeRef<Box>, meta(Size) == meta(t);\n",
		Repaired:    "pub type Size;\npub type Box;\npub derive flat(t) :- t: TypeRef<Box>, meta(Size) == meta(t);\n",
	},
}
