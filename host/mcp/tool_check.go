package mcp

func toolCheck() tool {
	return tool{
		name: "argon_check", title: "Check sources", set: authoring, hints: reads,
		description: "Check the Argon sources of the package: syntax, names, types, the loud gate, and the checks over the package's own facts. Needs no artifact. Gives diagnostics with code, range, help and, once a code, its remediation. Use it after every edit; pass unsaved texts in overlay. Next: repair, then argon_build.",
		input: object(nil,
			paramPackage,
			param{"overlay", `{"type":"object","additionalProperties":{"type":"string"},"description":"Unsaved texts by path in the package; they stand in for the files.","examples":[{"root.ar":"pub concept Person { name: String }"}]}`},
		),
		call: with(Service.Check),
	}
}

var paramPackage = param{"package", `{"type":"string","description":"Folder of the package under the workspace root; default is the served one.","examples":["examples/supply_chain"]}`}
