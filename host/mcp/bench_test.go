package mcp

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"testing"
)

// BenchmarkNewServer is what the frontend adds to the start of the process.
func BenchmarkNewServer(b *testing.B) {
	for b.Loop() {
		if _, err := NewServer(&fakeService{}, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCall is what the frontend adds to a call: its line read, checked and
// decoded, and its answer written.
func BenchmarkCall(b *testing.B) {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- Serve(b.Context(), &fakeService{}, Options{In: inR, Out: outW}) }()
	answers := bufio.NewReaderSize(outR, 1<<20)
	exchange := func(line string) string {
		if _, err := io.WriteString(inW, line+"\n"); err != nil {
			b.Fatal(err)
		}
		answer, err := answers.ReadString('\n')
		if err != nil {
			b.Fatal(err)
		}
		return answer
	}
	exchange(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"b","version":"1"}}}`)
	n := 0
	for b.Loop() {
		n++
		id := fmt.Sprint(n)
		if a := exchange(call(id, "argon_query", `{"name":"q","args":{"a":1}}`)); !strings.Contains(a, `"structuredContent"`) {
			b.Fatal(a)
		}
	}
	inW.Close()
	if err := <-done; err != nil {
		b.Fatal(err)
	}
}
