// Package conformance holds small programs with known answers, which every
// reasoner build must give before it may serve. The vectors are text files in
// the folder vectors; docs/swapping.md describes their form.
//
// A vector states answers of the contract only: rows, values, write sets,
// violations, kinds of failure. How a build gets there (join order, rounds,
// which of several proofs it shows) is its own business; proofs are checked
// for being proofs.
//
// Not covered, because the contract or the embedded build has it not yet:
// standpoints.
package conformance
