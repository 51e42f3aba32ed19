// Command checks is the built-in check evaluator, built as a WebAssembly
// reactor: go build -buildmode=c-shared with GOOS=wasip1 and GOARCH=wasm.
package main

// main is never run: a reactor is initialised, and then its exports are called.
func main() {}
