package mcp

import "slices"

func toolMutate() tool {
	return tool{
		name: "argon_mutate", title: "Run a mutation", set: write,
		hints:       hints{destructive: true},
		description: "Run a declared mutation, all or nothing. A write that would newly violate an Error check is refused (ARGON_RUNTIME_CHECK_VIOLATION, with the trace) and nothing is stored. Gives the receipt with its stamp, the individuals minted, and Warnings in observed. Try it first with dryRun and includeDerivedDelta.",
		input: object([]string{"name"}, slices.Concat([]param{
			{"name", `{"type":"string","minLength":1,"description":"Name of the mutation.","examples":["pay_rent"]}`},
			paramArgs,
		}, writing())...),
		call: with(Service.Mutate),
	}
}

func toolAdHocMutate() tool {
	return tool{
		name: "argon_ad_hoc_mutate", title: "Run an ad-hoc mutation", set: write,
		hints:       hints{destructive: true},
		description: "Type-check the statements of a mutate body against the served module and run them, all or nothing, through the same checks as argon_mutate. An ill-typed body is not run (ILL_TYPED). Prefer a declared mutation where there is one; let a person confirm what you made up, with dryRun first.",
		input: object([]string{"body"}, slices.Concat([]param{
			{"body", `{"type":"string","minLength":1,"description":"Statements of a mutate body.","examples":["insert Depends(app, zlib);"]}`},
			paramArgs,
		}, writing())...),
		call: with(Service.Mutate),
	}
}

// writing are the arguments that writes share.
func writing() []param {
	return []param{
		{"dryRun", `{"type":"boolean","description":"Do everything but store.","examples":[true]}`},
		{"includeDerivedDelta", `{"type":"boolean","description":"Add what the write changes in each derived relation.","examples":[true]}`},
		{"idempotencyKey", `{"type":"string","minLength":1,"description":"A repeated call with this key is answered with the first receipt.","examples":["rent-2031-07"]}`},
		paramFork,
		paramLimits,
	}
}
