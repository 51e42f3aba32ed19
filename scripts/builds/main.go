// Command builds compares the built guests with the builds of record: their
// BLAKE3-256 with plugins/BUILDS. With -record it writes the record, with -sum
// FILE the sum that the binary embeds beside that guest.
package main

import (
	"bytes"
	"encoding/hex"
	"flag"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"

	"lukechampine.com/blake3"
)

func main() {
	record := flag.Bool("record", false, "write plugins/BUILDS")
	guest := flag.String("sum", "", "a guest: write its .sum")
	flag.Parse()
	var err error
	if *guest != "" {
		err = sum(*guest)
	} else {
		err = run(*record)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "builds:", err)
		os.Exit(1)
	}
}

func sum(guest string) error {
	wasm, err := os.ReadFile(guest)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("%x %d %08x\n", blake3.Sum256(wasm), len(wasm), crc32.Checksum(wasm, crc32.MakeTable(crc32.Castagnoli)))
	return os.WriteFile(strings.TrimSuffix(guest, ".wasm")+".sum", []byte(text), 0o644)
}

func run(record bool) error {
	var lines bytes.Buffer
	for _, name := range []string{"reasoner.wasm", "checks.wasm"} {
		wasm, err := os.ReadFile(filepath.Join("plugins", "built", name))
		if err != nil {
			return fmt.Errorf("%w; run `make guests` first", err)
		}
		sum := blake3.Sum256(wasm)
		fmt.Fprintf(&lines, "%s  %s\n", hex.EncodeToString(sum[:]), name)
	}
	file := filepath.Join("plugins", "BUILDS")
	if record {
		fmt.Print(lines.String())
		return os.WriteFile(file, lines.Bytes(), 0o644)
	}
	want, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if bytes.Equal(want, lines.Bytes()) {
		fmt.Fprintln(os.Stderr, "the guests are the builds of record")
		return nil
	}
	// No failure: whoever works on a guest builds many that are not recorded,
	// and another toolchain gives other bytes. `make test` is strict.
	fmt.Fprintf(os.Stderr, "note: the guests are not the builds of record (plugins/BUILDS); if their sources changed, run `make builds`\n%s", lines.String())
	return nil
}
