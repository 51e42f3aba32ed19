// Command generate makes the facts of examples/supply_chain anew from the
// module graph of the module that it is run in:
//
//	go run ./examples/supply_chain/generate
//
// It asks the go command and reads the module cache, and never the network: a
// module that is not in the cache is a module whose licence is not known.
// Files that already say the same are left as they are. The advisories are
// not made here: they are invented, and kept by hand.
package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	out := flag.String("out", filepath.Join("examples", "supply_chain", "facts"), "the folder of the facts files")
	modfile := flag.String("modfile", "", "read this file in place of go.mod")
	flag.Parse()
	if err := run(*out, *modfile); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run(out, modfile string) error {
	args := []string{}
	if modfile != "" {
		args = append(args, "-modfile="+modfile)
	}
	list, err := goCommand(append([]string{"list", "-m", "-json"}, append(args, "all")...))
	if err != nil {
		return err
	}
	edges, err := goCommand(append([]string{"mod", "graph"}, args...))
	if err != nil {
		return err
	}
	modules, err := readModules(list)
	if err != nil {
		return err
	}
	for name, rows := range tables(modules, edges, licenceOf) {
		if err := write(filepath.Join(out, name), rows); err != nil {
			return err
		}
	}
	fmt.Printf("%d modules\n", len(modules))
	return nil
}

func goCommand(args []string) ([]byte, error) {
	c := exec.Command("go", args...)
	c.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off")
	var stderr bytes.Buffer
	c.Stderr = &stderr
	b, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return b, nil
}

// readModules reads the objects that go list -m -json prints one after
// another.
func readModules(list []byte) ([]module, error) {
	var modules []module
	d := json.NewDecoder(bytes.NewReader(list))
	for {
		var m module
		err := d.Decode(&m)
		if errors.Is(err, io.EOF) {
			return modules, nil
		}
		if err != nil {
			return nil, fmt.Errorf("the list of modules: %w", err)
		}
		modules = append(modules, m)
	}
}

// licenceOf reads the licence file of a module in the cache.
func licenceOf(m module) string {
	if m.Dir == "" {
		return unknown
	}
	entries, err := os.ReadDir(m.Dir)
	if err != nil {
		return unknown
	}
	for _, e := range entries {
		if e.Type().IsRegular() && isLicence(e.Name()) {
			if text, err := os.ReadFile(filepath.Join(m.Dir, e.Name())); err == nil {
				if id := classify(string(text)); id != unknown {
					return id
				}
			}
		}
	}
	return unknown
}

func write(file string, rows [][]string) error {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	if err := w.WriteAll(rows); err != nil {
		return err
	}
	if old, err := os.ReadFile(file); err == nil && bytes.Equal(old, b.Bytes()) {
		return nil
	}
	return os.WriteFile(file, b.Bytes(), 0o644)
}
