package abi

// Validate checks the program.
func (p *Program) Validate() error { return nil }
