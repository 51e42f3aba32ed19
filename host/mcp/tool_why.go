package mcp

func toolWhy() tool {
	return tool{
		name: "argon_why", title: "Why a check fires", set: read, hints: reads,
		description: "Why checks fire: one firing a violation, with the rule, the bindings, the declarations involved, and the premises as proof trees. of: source explains what argon_check found over the package's own facts and needs no artifact; of: runtime (the default) explains the served state.",
		input: object(nil,
			param{"check", `{"type":"string","minLength":1,"description":"One check; default is all.","examples":["no_copyleft_in_product"]}`},
			param{"of", `{"type":"string","enum":["runtime","source"],"description":"What state to explain; default is runtime.","examples":["source"]}`},
			paramDepth,
			paramFormat,
		),
		call: with(Service.Why),
	}
}
