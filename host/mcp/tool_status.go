package mcp

import (
	"context"
	"encoding/json"
)

func toolStatus() tool {
	return tool{
		name: "argon_status", title: "Status", set: authoring, hints: reads,
		description: "Start here. Tells which module is served, whether sources changed since (sourceDirty, dirtyInputs), the fork and read point, the limits in force, the capabilities granted, the sandboxed builds, and in nextStep the one call that moves you on. Always answers, also without a project.",
		input:       object(nil),
		call: func(ctx context.Context, svc Service, _ json.RawMessage) (any, error) {
			return answer(svc.Status(ctx))
		},
	}
}
