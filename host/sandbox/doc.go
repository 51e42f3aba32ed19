// Package sandbox runs WebAssembly guests that nobody vouches for. A module is
// admitted (checked, rewritten so that it pays fuel, compiled), instantiated
// under limits, and called with bytes. Whatever the guest does, a call ends:
// with an answer, with the guest's own Failure, or with a Trap that says which
// limit stopped it.
//
// The same calls in the same order on a fresh instance cost the same fuel on
// every machine, in the compiler and in the interpreter.
package sandbox
