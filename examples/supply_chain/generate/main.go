// Command generate makes the facts of examples/supply_chain anew from the
// module graph of the module that it is run in:
//
//	go run ./examples/supply_chain/generate
//
// It asks the go command and reads the module cache. A module that is not in
// the cache is a module whose licence is not known. The network is asked only
// with -network, which lets the go command download what the cache lacks.
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
	modfile := flag.String("modfile", "go.mod", "the file to read, with its .sum beside it")
	network := flag.Bool("network", false, "let the go command ask the network for what the module cache lacks")
	flag.Parse()
	if err := run(*out, *modfile, *network); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run(out, modfile string, network bool) error {
	// The go command may add to the files that it works on, so it gets copies.
	folder, err := os.MkdirTemp("", "generate-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	for from, to := range map[string]string{modfile: "go.mod", strings.TrimSuffix(modfile, ".mod") + ".sum": "go.sum"} {
		text, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, to), text, 0o644)
		}
		if err != nil {
			return err
		}
	}
	env := []string{"GOFLAGS=-mod=mod -modfile=" + filepath.Join(folder, "go.mod")}
	if network {
		if _, err := goCommand(env, "mod", "download", "all"); err != nil {
			return err
		}
	} else {
		env = append(env, "GOPROXY=off")
	}
	list, err := goCommand(env, "list", "-m", "-json", "all")
	if err != nil {
		return err
	}
	edges, err := goCommand(env, "mod", "graph")
	if err != nil {
		return err
	}
	modules, err := readModules(list)
	if err != nil {
		return err
	}
	made := tables(modules, edges, licencesOf)
	if !requiresAnything(modules, made["requires.csv"]) {
		return errors.New("the main module requires nothing for itself, which happens where go.mod marks all as indirect: run `go mod tidy` first")
	}
	for name, rows := range made {
		if err := write(filepath.Join(out, name), rows); err != nil {
			return err
		}
	}
	fmt.Printf("%d modules\n", len(modules))
	return nil
}

func goCommand(env []string, args ...string) ([]byte, error) {
	c := exec.Command("go", args...)
	c.Env = append(os.Environ(), env...)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	b, err := c.Output()
	if err != nil {
		hint := ""
		if strings.Contains(stderr.String(), "GOPROXY=off") {
			hint = "\nthe module cache lacks something; with -network the go command may ask for it"
		}
		return nil, fmt.Errorf("go %s: %w: %s%s", strings.Join(args, " "), err, strings.TrimSpace(stderr.String()), hint)
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

// licencesOf reads the licence files of a module in the cache.
func licencesOf(m module) []string {
	if m.Dir == "" {
		return nil
	}
	entries, err := os.ReadDir(m.Dir)
	if err != nil {
		return nil
	}
	var ids []string
	for _, e := range entries {
		if e.Type().IsRegular() && isLicence(e.Name()) {
			if text, err := os.ReadFile(filepath.Join(m.Dir, e.Name())); err == nil {
				ids = append(ids, classify(string(text))...)
			}
		}
	}
	return ids
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
