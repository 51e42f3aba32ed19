package mcp

import (
	"context"
	"encoding/json"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

func toolExplainFact() tool {
	return tool{
		name: "argon_explain_fact", title: "Explain a fact", set: read, hints: reads,
		description: "Why one fact holds: its proof tree, folded below maxDepth (folded lists what argon_expand_proof opens). Where it does not hold: derived is false and whyNot tells, for each rule, how far it got and which premise failed under which bindings; its repairs are the smallest sets of facts that would make it hold, each tried on a copy, and searched says whether all sets up to maxSize were covered. That is an answer, not an error.",
		input: object([]string{"fact"}, append([]param{
			paramFact, paramDepth, paramNodes, paramRepairs, paramFormat,
		}, scope()...)...),
		call: explain,
	}
}

func toolExpandProof() tool {
	return tool{
		name: "argon_expand_proof", title: "Expand a proof", set: read, hints: reads,
		description: "Open a folded part of a proof. A nodeId names module, read point, fact and place by itself, so it stays good in later calls. alternative n shows the n-th further derivation of the node. Or pass fact with a larger maxDepth.",
		input: object(nil, append([]param{
			{"nodeId", `{"type":"string","minLength":1,"description":"Of a proof node, or of an entry of folded.","examples":["pGZtb2R1bGU"]}`},
			paramFact,
			{"alternative", `{"type":"integer","minimum":0,"description":"Which further derivation; 0 is the one first shown.","examples":[1]}`},
			paramDepth, paramNodes, paramFormat,
		}, scope()...)...),
		call: func(ctx context.Context, svc Service, args json.RawMessage) (any, error) {
			var which struct {
				NodeID string          `json:"nodeId"`
				Fact   json.RawMessage `json:"fact"`
			}
			if err := decode(args, &which); err != nil {
				return nil, err
			}
			switch {
			case which.NodeID == "" && which.Fact == nil:
				return nil, runtime.Invalid("nodeId", "a nodeId, or a fact", "neither", "")
			case which.NodeID != "" && which.Fact != nil:
				return nil, runtime.Invalid("fact", "a nodeId, or a fact", "both", "")
			}
			return explain(ctx, svc, args)
		},
	}
}

// explain takes a fact in either form: as text, or as head and tuple.
func explain(ctx context.Context, svc Service, args json.RawMessage) (any, error) {
	type request runtime.ExplainRequest
	var r struct {
		request
		Fact json.RawMessage `json:"fact"`
	}
	if err := decode(args, &r); err != nil {
		return nil, err
	}
	out := runtime.ExplainRequest(r.request)
	switch kindOf(r.Fact) {
	case "string":
		if err := decode(r.Fact, &out.Fact); err != nil {
			return nil, err
		}
	case "object":
		var f struct {
			Head  string            `json:"head"`
			Tuple []json.RawMessage `json:"tuple"`
		}
		if err := decode(r.Fact, &f); err != nil {
			return nil, err
		}
		out.Head, out.Tuple = f.Head, f.Tuple
	}
	return answer(svc.Explain(ctx, out))
}
