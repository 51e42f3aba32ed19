package mcp

func toolQuery() tool {
	return tool{
		name: "argon_query", title: "Run a query", set: read, hints: reads,
		description: "Run a declared query by name. Rows carry truth4 (Is, Can, Both, Not); hidden counts what projectK3 drops. An empty answer is no proof of falsehood: read hidden, then ask argon_explain_fact why not. A large result is refused, never cut: pass page, follow nextCursor. Names: argon_schema_lookup.",
		input: object([]string{"name"}, append([]param{
			{"name", `{"type":"string","minLength":1,"description":"Name of the query; short where unambiguous.","examples":["exposed_modules"]}`},
			paramArgs,
		}, common()...)...),
		call: with(Service.Query),
	}
}
