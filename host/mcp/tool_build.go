package mcp

func toolBuild() tool {
	return tool{
		name: "argon_build", title: "Build and reload", set: authoring,
		// With onIncompatible: discard it drops facts that the new module cannot hold.
		hints:       hints{destructive: true, idempotent: true},
		description: "Build the artifact and serve it. Refuses with gateFailures where a rule cannot run. Where live facts do not fit the new module it answers schema_incompatible, changes nothing and says what to pass: discard with confirm (dumps the facts first). Next: argon_query, argon_derive, argon_test.",
		input: object(nil,
			paramPackage,
			param{"onIncompatible", `{"type":"string","enum":["refuse","discard"],"description":"What to do with live facts that do not fit; default is refuse.","examples":["refuse"]}`},
			param{"confirm", `{"type":"string","description":"For discard: schema_incompatible.confirm of the refusal.","examples":["sha256:9f2c"]}`},
		),
		call: with(Service.Build),
	}
}
