// Package cli is the command line: it frames arguments into requests of the
// runtime and renders its results for a person. With --json a verb prints the
// runtime's payload as it is.
//
// Standard output is data, standard error is for people. Exit status: 0 good,
// 1 a domain refusal, 2 could not run.
package cli
