// Package runtime owns every operation of the product: check, build, status,
// test, query, derive, explain, mutate and the rest. The frontends (MCP, the
// command line, HTTP) frame requests and render results; they decide nothing.
// A result marshals to the same JSON in each of them.
//
// An operation that could run returns a result, also where the answer is a
// refusal: the result's Outcome says so. An error is returned only where it
// could not run (*Error) or where its arguments do not fit (*InvalidArguments).
package runtime
