package mcp

func toolTest() tool {
	return tool{
		name: "argon_test", title: "Run tests", set: authoring, hints: reads,
		description: "Build in test mode and run the package's test blocks, each on a throw-away copy of the facts. The served module and its facts are not touched. Gives an outcome for each test (PASS, FAIL, ERROR, INCONCLUSIVE) with the failure that decides it and its range, and all failures where there are several.",
		input: object(nil,
			paramPackage,
			param{"filter", `{"type":"string","description":"Regular expression over the tests' qualified names.","examples":["^root::lease_"]}`},
		),
		call: with(Service.Test),
	}
}
