package mcp

func toolSchemaLookup() tool {
	return tool{
		name: "argon_schema_lookup", title: "Look up the schema", set: discovery, hints: reads,
		description: "What the served module declares. With name: one construct, its parameters, fields, supertypes, documentation and place. Without: the index of names, kinds and signatures, paged; narrow it with kind. Look a name up before you call it.",
		input: object(nil,
			param{"name", `{"type":"string","minLength":1,"description":"Qualified path, or short name.","examples":["root::Module"]}`},
			param{"kind", `{"type":"string","minLength":1,"description":"Only this kind: concept, relation, struct, enum, fn, derive, query, mutate, check, test, …","examples":["query"]}`},
			paramPage,
		),
		call: with(Service.Schema),
	}
}
