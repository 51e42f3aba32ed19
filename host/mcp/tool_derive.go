package mcp

func toolDerive() tool {
	return tool{
		name: "argon_derive", title: "Read an extent", set: read, hints: reads,
		description: "The whole extent of one rule head, concept, relation or check: every tuple with its truth4, and with explain the rule and round that gave it. Works also for a check that the build refuses. For one tuple's proof use argon_explain_fact.",
		input: object([]string{"name"}, append([]param{
			{"name", `{"type":"string","minLength":1,"description":"Head, concept, relation or check.","examples":["reach"]}`},
			{"explain", `{"type":"boolean","description":"Add each tuple's proof tag.","examples":[true]}`},
		}, common()...)...),
		call: with(Service.Derive),
	}
}
