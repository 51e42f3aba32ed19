package rewrite

// Limits bounds what a module may ask of the compiler. wazero's compiler takes
// time and memory that grow with the square of a body's blocks, so these are
// the only defence against a small module that compiles for minutes. The
// limits of a body count the rewritten one.
type Limits struct {
	ModuleBytes   int    // of the module as it came
	Items         int    // types, functions, imports, exports, globals, segments: each
	Signature     int    // parameters, and results, of a function type
	Tables        int    // number of tables
	TableElements uint32 // elements of all tables
	BodyBytes     int    // code of one function
	Blocks        int    // block, loop and if of one function
	Nesting       int    // of blocks
	Locals        int    // parameters and locals of one function
	BlockLocals   int    // blocks × locals of one function
	BranchTable   int    // labels of one br_table
	FanOut        int    // labels of br_tables, and results of calls and blocks with more than one, in the module
	Work          int    // sum over the functions of blocks² + blocks × locals
}

// DefaultLimits are the limits that every module is held to.
func DefaultLimits() Limits {
	return Limits{
		ModuleBytes:   32 << 20,
		Items:         100_000,
		Signature:     1_000,
		Tables:        8,
		TableElements: 262_144,
		BodyBytes:     128 << 10,
		Blocks:        4_096,
		Nesting:       1_000,
		Locals:        1_000,
		BlockLocals:   200_000,
		BranchTable:   4_096,
		FanOut:        500_000,
		Work:          30_000_000,
	}
}
