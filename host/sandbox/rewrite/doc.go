// Package rewrite turns a WebAssembly module into one that pays for what it
// does. Rewrite is a pure function: it refuses a module outside the accepted
// language or above the size limits, and otherwise adds a fuel counter, a
// call-depth counter and one imported hook, and fixes the maximum of every
// table and memory.
//
// The accepted language is WebAssembly Core 2.0 without SIMD, without a start
// section and without table.grow. Rewrite checks the form of the module and
// the range of every index; types are for a validator to check, on the module
// as it came.
package rewrite

// Version is the version of the fuel schedule, of what the host charges beside
// it, and of everything else that a metered module's bytes and bill depend on.
// Two rewriters with the same Version give the same bytes for the same module.
const Version = "5"

// The names that the rewriter adds to a module. No module that comes to it may
// export a name with ReservedPrefix, or import from HookModule.
const (
	ReservedPrefix = "__ox_"
	FuelGlobal     = ReservedPrefix + "fuel"  // i64: fuel left of the current slice; negative when it is used up
	DepthGlobal    = ReservedPrefix + "depth" // i32: call frames left; negative when they are used up
	GlobalPrefix   = ReservedPrefix + "g"     // followed by the index of a mutable number global of the module
	HookModule     = "ox:sandbox/meter"
	HookName       = "hook"             // (kind i32, argument i32) -> ()
	OwnerModule    = "ox:sandbox/owner" // from which a metered kernel imports its owner's memory and counters
)

// The kinds with which a metered module calls the hook.
const (
	HookFuel  = 0 // the fuel global is negative
	HookDepth = 1 // the depth global is negative
	HookGrow  = 2 // memory.grow by <argument> pages gave -1
)
