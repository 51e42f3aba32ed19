package diag

// 12xx: artifacts.
var artifactEntries = []Entry{
	{
		Code: "OE1204", Title: "tier of the artifact not supported", Stage: StageArtifact,
		Explanation: "The artifact claims a decidability tier that this runtime does not evaluate.",
		Remediation: Remediation{Rebuild, "Build it again with this version, whose gate names the rules that are in the way."},
	},
	{
		Code: "OE1210", Title: "dangling reference in the artifact", Stage: StageArtifact,
		Explanation: "A part of the artifact refers to a symbol or file that it does not hold.",
		Remediation: Remediation{Rebuild, "Build it again from its sources."},
	},
	{
		Code: "OE1211", Title: "circle of standpoints",
		Explanation: "A standpoint sees the facts of those above it, and one of them is above itself: `a <: b` and `b <: a`. An artifact with such a circle is refused, too.",
		Remediation: Remediation{EditSource, "Take one of the parents out. Two standpoints that see the same facts have a common parent."},
		Failing:     "pub standpoint press <: court;\npub standpoint court <: press;\n",
		Repaired:    "pub standpoint court;\npub standpoint press <: court;\n",
	},
	{
		Code: "OE1212", Title: "malformed provenance in the artifact", Stage: StageArtifact,
		Explanation: "A stored proof is not in the normal form that loading expects.",
		Reserved:    "artifacts of this version store no proofs",
	},
	{
		Code: "OE1213", Title: "hash of the artifact does not match", Stage: StageArtifact,
		Explanation: "The content of the artifact, or of one of its sections, is not what its hash says. It was changed after it was written, or was not written to the end.",
		Remediation: Remediation{Rebuild, "Build it again, or fetch it again from where it came."},
	},
	{
		Code: "OE1214", Title: "tier table does not fit", Stage: StageArtifact,
		Explanation: "The table of tiers names other rules than the artifact holds, or a tier that the artifact does not claim.",
		Remediation: Remediation{Rebuild, "Build it again from its sources."},
	},
	{
		Code: "OE1215", Title: "dangling documentation link in the artifact", Stage: StageArtifact,
		Explanation: "A documentation block belongs to a symbol that the artifact does not hold.",
		Reserved:    "artifacts of this version have no documentation section",
	},
	{
		Code: "OE1255", Title: "not an artifact, or a damaged one", Stage: StageArtifact,
		Explanation: "The file does not begin as an .oxbin does, is cut short, or a part of it cannot be decoded.",
		Remediation: Remediation{Rebuild, "Build it again from its sources."},
	},
	{
		Code: "OE1256", Title: "unknown section in the artifact", Stage: StageArtifact,
		Explanation: "A section that must be understood has a type that this version does not know. Leaving it out could change answers.",
		Remediation: Remediation{Rebuild, "Use the version that wrote it, or build it again with this one."},
	},
	{
		Code: "OE1257", Title: "artifact of another format version", Stage: StageArtifact,
		Explanation: "The artifact was written in a version of the format that this version does not read.",
		Remediation: Remediation{Rebuild, "Build it again with this version."},
	},
}

const oneFile = "-- root.ar --\npub type Book;\n"

// 12xx: packages, manifests and facts files.
var packageEntries = []Entry{
	{
		Code: "OE1240", Title: "form of dependency not supported",
		Explanation: "A dependency is a folder, given by its path. There is no registry yet, and nothing is fetched, so versions and repositories are refused instead of being passed over.",
		Remediation: Remediation{EditManifest, "Put the package beside yours and write `name = { path = \"../name\" }`."},
		Failing:     "-- ox.toml --\n[package]\nname = \"shop\"\nprelude = [\"std::core::type\"]\n[dependencies]\nbooks = \"1.2\"\n" + oneFile,
		Repaired:    "-- ox.toml --\n[package]\nname = \"shop\"\nprelude = [\"std::core::type\"]\n[dependencies]\nbooks = { path = \"../books\" }\n" + oneFile + "-- ../books/ox.toml --\n[package]\nname = \"books\"\n-- ../books/root.ar --\n",
	},
	{
		Code: "OE1250", Title: "path that leaves its folder",
		Explanation: "Module files, [facts] files and plugins stay inside their package, and dependencies inside the workspace, also after links are followed. Nothing of a file outside is read or shown.",
		Remediation: Remediation{EditManifest, "Move the file into the package. For dependencies, the setting workspace.root can name a higher folder."},
		Failing:     "-- ox.toml --\n[package]\nname = \"shop\"\nprelude = [\"std::core::type\"]\n[facts]\n\"root::Book\" = \"../elsewhere.csv\"\n" + oneFile,
		Repaired:    "-- ox.toml --\n[package]\nname = \"shop\"\nprelude = [\"std::core::type\"]\n[facts]\n\"root::Book\" = \"books.csv\"\n" + oneFile + "-- books.csv --\nid\nemma\n",
	},
	{
		Code: "OE1260", Title: "manifest that is no TOML",
		Explanation: "ox.toml cannot be read as TOML at the place shown, so nothing is known about the package.",
		Remediation: Remediation{EditManifest, "Correct the syntax. Texts need quotes, and each key stands once."},
		Failing:     "-- ox.toml --\n[package]\nname = shop\n" + oneFile,
		Repaired:    "-- ox.toml --\n[package]\nname = \"shop\"\nprelude = [\"std::core::type\"]\n" + oneFile,
	},
	{
		Code: "OE1261", Title: "wrong value in the manifest",
		Explanation: "A key of ox.toml has a value of another kind than it takes, or one that does not fit the rest.",
		Remediation: Remediation{EditManifest, "Give the value that the message asks for."},
		Failing:     "-- ox.toml --\n[package]\nname = \"shop\"\nprelude = [\"std::core::type\"]\ndefault_world = \"ajar\"\n" + oneFile,
		Repaired:    "-- ox.toml --\n[package]\nname = \"shop\"\nprelude = [\"std::core::type\"]\ndefault_world = \"closed\"\n" + oneFile,
	},
	{
		Code: "OE1262", Title: "no entry file",
		Explanation: "A package begins at its entry file: root.ar, else src/root.ar, else what `entry` of [project] names. It is not there.",
		Remediation: Remediation{EditManifest, "Make the file, or name the right one in [project] entry."},
		Failing:     "-- ox.toml --\n[package]\nname = \"shop\"\n",
		Repaired:    "-- ox.toml --\n[package]\nname = \"shop\"\n-- root.ar --\n",
	},
	{
		Code: "OE1263", Title: "dependency that is not there",
		Explanation: "The path of a dependency leads to no folder that holds an ox.toml. Paths are relative to the manifest that they stand in.",
		Remediation: Remediation{EditManifest, "Correct the path."},
		Failing:     "-- ox.toml --\n[package]\nname = \"shop\"\n[dependencies]\nbooks = { path = \"../bokos\" }\n-- root.ar --\n",
		Repaired:    "-- ox.toml --\n[package]\nname = \"shop\"\n[dependencies]\nbooks = { path = \"../books\" }\n-- root.ar --\n-- ../books/ox.toml --\n[package]\nname = \"books\"\n-- ../books/root.ar --\n",
	},
	{
		Code: "OE1264", Title: "circle of dependencies",
		Explanation: "A package depends on itself by way of others. Modules of one package may use each other freely; packages may not.",
		Remediation: Remediation{EditManifest, "Move what both need into a package of its own, or join the two."},
		Failing:     "-- ox.toml --\n[package]\nname = \"shop\"\n[dependencies]\nbooks = { path = \"../books\" }\n-- root.ar --\n-- ../books/ox.toml --\n[package]\nname = \"books\"\n[dependencies]\nmore = { path = \"../more\" }\n-- ../books/root.ar --\n-- ../more/ox.toml --\n[package]\nname = \"more\"\n[dependencies]\nbooks = { path = \"../books\" }\n-- ../more/root.ar --\n",
		Repaired:    "-- ox.toml --\n[package]\nname = \"shop\"\n[dependencies]\nbooks = { path = \"../books\" }\n-- root.ar --\n-- ../books/ox.toml --\n[package]\nname = \"books\"\n-- ../books/root.ar --\n",
	},
	{
		Code: "OE1265", Title: "two packages with one name",
		Explanation: "Declarations of a dependency print and resolve by its package's name, and two of the packages have the same.",
		Remediation: Remediation{EditManifest, "Change the `name` in one of the manifests."},
		Failing:     "-- ox.toml --\n[package]\nname = \"shop\"\n[dependencies]\na = { path = \"../a\" }\nb = { path = \"../b\" }\n-- root.ar --\n-- ../a/ox.toml --\n[package]\nname = \"books\"\n-- ../a/root.ar --\n-- ../b/ox.toml --\n[package]\nname = \"books\"\n-- ../b/root.ar --\n",
		Repaired:    "-- ox.toml --\n[package]\nname = \"shop\"\n[dependencies]\na = { path = \"../a\" }\nb = { path = \"../b\" }\n-- root.ar --\n-- ../a/ox.toml --\n[package]\nname = \"books\"\n-- ../a/root.ar --\n-- ../b/ox.toml --\n[package]\nname = \"films\"\n-- ../b/root.ar --\n",
	},
	{
		Code: "OE1266", Title: "sources larger than the limit",
		Explanation: "The sources of a package and its dependencies together, and each facts file, have a size limit, so that no text keeps a server busy for ever.",
		Remediation: Remediation{EditSource, "Move data into [facts] files and split large ones; or raise the setting limits.sourceBytes."},
	},
	{
		Code: "OE1267", Title: "malformed facts file",
		Explanation: "A file of [facts] is missing, or a line of it does not have the form of its format: a row with more or fewer fields than the header, a quote that never ends, a line that is no JSON object.",
		Remediation: Remediation{EditData, "Correct the line shown. If the file has no header, say `header = false`."},
		Failing:     "-- ox.toml --\n[package]\nname = \"shop\"\nprelude = [\"std::core::type\"]\n[facts]\n\"root::Book\" = \"books.csv\"\n" + oneFile + "-- books.csv --\nid\nemma,\"Emma\"\n",
		Repaired:    "-- ox.toml --\n[package]\nname = \"shop\"\nprelude = [\"std::core::type\"]\n[facts]\n\"root::Book\" = \"books.csv\"\n" + oneFile + "-- books.csv --\nid\nemma\n",
	},
	{
		Code: "OW1250", Title: "key that nothing reads",
		Explanation: "ox.toml has a key that no part of this version reads. A misspelt key would otherwise silently keep its default.",
		Remediation: Remediation{EditManifest, "Correct the spelling, or remove the key."},
		Failing:     "-- ox.toml --\n[package]\nname = \"shop\"\nverzion = \"1.0\"\n-- root.ar --\n",
		Repaired:    "-- ox.toml --\n[package]\nname = \"shop\"\nversion = \"1.0\"\n-- root.ar --\n",
	},
	{
		Code: "OW1251", Title: "section without effect",
		Explanation: "ox.toml has a section that is part of the format and that this version does not act on.",
		Remediation: Remediation{EditManifest, "Remove it, or keep it for a later version."},
		Failing:     "-- ox.toml --\n[package]\nname = \"shop\"\n[connectors.stock]\nkind = \"mcp\"\n-- root.ar --\n",
		Repaired:    "-- ox.toml --\n[package]\nname = \"shop\"\n-- root.ar --\n",
	},
	{
		Code: "OW1252", Title: "key that this package may not set",
		Explanation: "A package is code from elsewhere: what it says may lower a limit, and never raise one, name a plugin, give it a grant, or name a file, a variable or an address of the machine. Such a key has no effect, and what it names is not opened. The operator's own configuration may do all of this, and may trust a package to name plugins.",
		Remediation: Remediation{ChangeCall, "Set it in your own configuration. For plugins: look at the package's ox.toml, and if you trust it run `ox-mcp trust PATH`."},
	},
}
