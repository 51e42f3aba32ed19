// Command joiner is the smallest reasoner: it takes programs whose only rule
// joins two base relations, and shows on a page how a plugin meets the
// contract. The sandbox is tested with it. It is built as a WebAssembly
// reactor:
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -trimpath -buildvcs=false ./plugins/joiner
package main

// main is never run: a reactor is initialised, and then its exports are called.
func main() {}
