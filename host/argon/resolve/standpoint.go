package resolve

// A standpoint is a module that sees the names of the module around it, so
// that its facts are about the same things; what it declares is its own.

// Standpoint returns the innermost standpoint that m is, or is inside; nil if
// there is none.
func (m *Module) Standpoint() *Module {
	for ; m != nil; m = m.Parent {
		if m.Blocks != nil {
			return m
		}
	}
	return nil
}

// Home returns the module that individuals named in facts of m belong to: what
// two standpoints call by one name is one individual.
func (m *Module) Home() *Module {
	if m.Blocks != nil && m.Parent != nil {
		return m.Parent
	}
	return m
}
