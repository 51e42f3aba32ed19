// Package eval compiles the expressions, patterns, functions and mutation
// bodies of a program to code for a stack machine, and runs it. The machine
// keeps its own stacks of operands, slots, iterators and call frames, so
// neither the data nor the program's own recursion can exhaust the stack of
// the guest; only an expression that asks the reasoner to solve a body comes
// back into the machine, and MaxNesting bounds how often.
//
// Evaluation ends in one of three ways: with a value; with a fault (division by
// zero, no value, …), which fails an atom of a rule and is an error in fn,
// mutate and test; or with a failure, which ends the call.
package eval
