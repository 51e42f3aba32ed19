package types

// ended reports whether nobody waits for what is being typed. One body may be
// as long as a file: an atom, a statement or an expression that comes then is
// typed into nothing, so that the rest of the body is passed over. What was made
// is dropped, with all that was reported.
func (e *Env) ended() bool { return e.ctx != nil && e.ctx.Err() != nil }
