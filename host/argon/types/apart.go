package types

// Apart reports whether what is typed of an item goes by nothing but the names
// in it: no rule asks what is declared, and no function is a value.
func (e *Env) Apart() bool {
	return len(e.Catalog) == 0 && len(e.closures.order) == 0 && len(e.closures.applied) == 0
}

// Hints is how many names were suggested for others.
func (e *Env) Hints() int { return e.hints + e.World.Hints() }
