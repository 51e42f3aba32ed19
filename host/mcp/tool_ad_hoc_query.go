package mcp

func toolAdHocQuery() tool {
	return tool{
		name: "argon_ad_hoc_query", title: "Run an ad-hoc query", set: read, hints: reads,
		description: "Type-check a query body against the served module and run it. The body is \"select … from … where …\", or atoms with commas between them, whose free variables are the columns. One that is nearly spelt like an individual is warned of (OW0159). An ill-typed body is not run: the answer has code ILL_TYPED and diagnostics. Rows and paging as in argon_query.",
		input: object([]string{"body"}, append([]param{
			{"body", `{"type":"string","minLength":1,"description":"Body of the query.","examples":["reach(a, b), not trusted(b)"]}`},
			paramArgs,
		}, common()...)...),
		call: with(Service.Query),
	}
}
