// Command iban is a check evaluator for ox-mcp, built as a WebAssembly
// reactor: GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared.
package main

// main is never run: a reactor is initialised, and then its exports are called.
func main() {}
