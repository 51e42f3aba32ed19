package mcp

func toolEpistemics() tool {
	return tool{
		name: "argon_epistemics", title: "What can be known", set: discovery, hints: reads,
		description: "What an absent row means. Lists what is open (absent is unknown, Can) and why, with the path by which a rule comes to depend on it; the tiers of the rules; and the standpoints with their parents. With construct: just that one, also where it is closed. Read it before you take an empty answer for a no.",
		input: object(nil,
			param{"construct", `{"type":"string","minLength":1,"description":"Qualified path, or short name.","examples":["root::honest"]}`},
		),
		call: with(Service.Epistemics),
	}
}
