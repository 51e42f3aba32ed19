package resolve

import "github.com/ox-mcp/ox-mcp/host/argon/syntax"

// axisAt returns the meta axis that parts name as seen from m, or nil.
func (w *World) axisAt(m *Module, parts []syntax.Ident, from *use) *Symbol {
	found, _ := w.walk(m, parts, Kinds(MetaxisKind), from)
	if len(found) == 1 {
		return found[0]
	}
	return nil
}

// axisValue returns the value of an axis that is called name, or nil.
func axisValue(axis *Symbol, name string) *Symbol {
	node, ok := axis.Items[0].(*syntax.Metaxis)
	if !ok {
		return nil
	}
	for _, v := range node.Values {
		if v.Name == name {
			return &Symbol{
				Kind: AxisValueKind, Name: name, Qualified: axis.Qualified + "::" + name, Vis: syntax.Public,
				Module: axis.Module, Place: axis.Module.place(v.Span), Enum: axis,
			}
		}
	}
	return nil
}
