package lower

import (
	"strings"

	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
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

// onAxes prints what a metatype or metarel says on its axes, behind before;
// nothing where it says nothing.
func (s *schemaBuilder) onAxes(sym *resolve.Symbol, before string) string {
	meta := s.b.env.Metas[sym.Qualified]
	if meta == nil {
		return ""
	}
	var parts []string
	for _, a := range s.b.env.AxisList {
		if v, ok := meta.Axes[a]; ok {
			parts = append(parts, a.Symbol.Name+": "+short(ValueText(v.Value)))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return before + "{ " + strings.Join(parts, ", ") + " }"
}
