package mcp

func toolCompute() tool {
	return tool{
		name: "argon_compute", title: "Compute a function", set: read, hints: reads,
		description: "Call a declared fn over the current state, or a past one with asOf. Gives its value, and in emissions the diagnostics that the call gave off. Changes nothing. An error in the evaluation, such as a division by zero, is answered with code ARGON_RUNTIME_EVALUATION and its place.",
		input: object([]string{"name"},
			param{"name", `{"type":"string","minLength":1,"description":"Name of the fn.","examples":["late_fee"]}`},
			paramArgs,
			paramAsOf,
			paramFork,
			paramLimits,
		),
		call: with(Service.Compute),
	}
}
