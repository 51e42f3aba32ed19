package mcp

func toolChecksCurrent() tool {
	return tool{
		name: "argon_checks_current", title: "Current violations", set: read, hints: reads,
		description: "Evaluate the checks over the current state: the violations with severity, code, message and bindings, and clean where there is none. A violation that was there before a write does not refuse the write; it stays here. Traces: argon_why.",
		input: object(nil,
			param{"name", `{"type":"string","minLength":1,"description":"One check; default is all.","examples":["no_copyleft_in_product"]}`},
			paramFork,
			paramPage,
		),
		call: with(Service.Checks),
	}
}
