package lower

import (
	"strings"

	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// trait lists a trait with the signatures of its members.
func (s *schemaBuilder) trait(sym *resolve.Symbol) {
	out := s.construct(sym, "trait", -1)
	if out == nil {
		return
	}
	node, ok := sym.Items[0].(*syntax.Trait)
	if !ok {
		return
	}
	out.Signature = visibility(sym) + "trait " + sym.Name
	for i, p := range node.TypeParams {
		out.Signature += map[bool]string{true: "<", false: ", "}[i == 0] + p.Name.Name
	}
	if len(node.TypeParams) > 0 {
		out.Signature += ">"
	}
	for i, super := range node.Supers {
		out.Supers = append(out.Supers, super.String())
		out.Signature += map[bool]string{true: " <: ", false: ", "}[i == 0] + super.String()
	}
	for _, m := range node.Members {
		var params []*syntax.Param
		word, result := "", ""
		switch it := m.Item.(type) {
		case *syntax.Derive:
			word, params = "derive", it.Params
		case *syntax.Check:
			word, params = "check", it.Params
		case *syntax.Mutate:
			word, params = "mutate", it.Params
			if it.Result != nil {
				result = " -> " + syntax.TypeText(it.Result)
			}
		case *syntax.Fn:
			word, params, result = "fn", it.Params, " -> "+syntax.TypeText(it.Result)
		}
		var parts []string
		for _, p := range params {
			text := p.Name.Name
			if p.Type != nil && !(text == "self" && syntax.TypeText(p.Type) == "Self") {
				text += ": " + syntax.TypeText(p.Type)
			}
			parts = append(parts, text)
		}
		out.Variants = append(out.Variants, word+" "+m.Head().Name.Name+"("+strings.Join(parts, ", ")+")"+result)
	}
	out.Signature += " { " + strings.Join(out.Variants, "; ") + " }"
}

// macro lists a macro.
func (s *schemaBuilder) macro(sym *resolve.Symbol) {
	if out := s.construct(sym, "macro", -1); out != nil {
		out.Signature = visibility(sym) + "macro " + sym.Name
		if _, procedural := sym.Items[0].(*syntax.ProcMacro); procedural {
			out.Signature = "#[procmacro] " + visibility(sym) + "fn " + sym.Name
		}
	}
}
