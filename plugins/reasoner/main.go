// Command reasoner is the reasoner guest: the exports of the world "reasoner"
// over package engine. Build it with
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared ./plugins/reasoner
package main

func main() {}
