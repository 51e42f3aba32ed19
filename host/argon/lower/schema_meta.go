package lower

import (
	"strings"

	"github.com/ox-mcp/ox-mcp/host/argon/types"
)

// axis lists a meta axis with its values.
func (s *schemaBuilder) axis(a *types.Axis) {
	out := s.construct(a.Symbol, "metaxis", -1)
	if out == nil {
		return
	}
	var targets []string
	for _, t := range a.Node.Targets {
		targets = append(targets, t.Name)
	}
	text := visibility(a.Symbol) + "metaxis " + a.Symbol.Name + " for "
	if len(targets) == 1 {
		text += targets[0]
	} else {
		text += "[" + strings.Join(targets, ", ") + "]"
	}
	if a.Enum == nil {
		out.Result = types.Print(a.Type)
		out.Signature = text + " = " + out.Result
		return
	}
	for _, v := range a.Enum.Variants {
		out.Variants = append(out.Variants, v.Short)
	}
	between := ", "
	if a.Node.Ordered {
		between = " < "
	}
	out.Signature = text + " { " + strings.Join(out.Variants, between) + " }"
}
