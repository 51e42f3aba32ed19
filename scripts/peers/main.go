// Command peers runs the reasoner's workloads as whole processes, in the
// sandbox and natively, and beside them SWI-Prolog, clingo and DuckDB where
// they are installed. It prints the median processor time and peak memory of
// each, and fails where two of them disagree on the size of an answer.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/ox-mcp/ox-mcp/plugins/reasoner/workload"
)

func main() {
	names := flag.String("w", "", "workloads, separated by commas; all if empty: "+strings.Join(workload.Names(), ", ")+
		"; or, with thousands of facts as in thin@100, families: "+strings.Join(workload.Families(), ", "))
	runs := flag.Int("runs", 5, "runs of each, of which the median counts")
	patience := flag.Duration("patience", time.Minute, "a run of a peer that takes longer is ended")
	child := flag.String("child", "", "for the command's own use: run one workload here")
	flag.Parse()
	list := workload.Names()
	if *names != "" {
		list = strings.Split(*names, ",")
	}
	if *child != "" {
		n, err := runHere(*child, list[0])
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(n)
		return
	}
	dir, err := os.MkdirTemp("", "peers")
	if err == nil {
		defer os.RemoveAll(dir)
		err = compare(list, *runs, *patience, dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.RemoveAll(dir)
		os.Exit(1)
	}
}

// outcome is what a run of a process gave.
type outcome struct {
	answer string // the number of tuples, or why there is none
	ok     bool
	cpu    time.Duration
	peak   int64 // KiB
}

func compare(names []string, runs int, patience time.Duration, dir string) error {
	engines := []engine{ourselves("sandbox"), ourselves("native")}
	for _, e := range peers(dir) {
		if e.missing != "" {
			fmt.Printf("without %s: %s\n", e.name, e.missing)
			continue
		}
		engines = append(engines, e)
	}
	fmt.Printf("%-12s %-10s %12s %10s %10s %8s %8s\n", "", "", "tuples", "CPU s", "peak MiB", "must", "aim")
	disagree := 0
	for _, name := range names {
		w, ok := workload.Named(name)
		if !ok {
			return fmt.Errorf("there is no workload %s; there are %s", name, strings.Join(workload.Names(), ", "))
		}
		for _, e := range engines {
			command := e.command(&w)
			if command == nil {
				continue
			}
			var all []outcome
			for range runs {
				o := run(command, patience)
				all = append(all, o)
				if !o.ok {
					break
				}
			}
			slices.SortFunc(all, func(a, b outcome) int { return int(a.cpu - b.cpu) })
			m := all[len(all)/2]
			note := ""
			if m.ok && w.Tuples == 0 {
				w.Tuples, _ = strconv.ParseUint(m.answer, 10, 64) // of a family: the first engine says it
			}
			if m.ok && m.answer != "-" && m.answer != strconv.FormatUint(w.Tuples, 10) {
				note = fmt.Sprintf("  expected %d", w.Tuples)
				disagree++
			}
			fmt.Printf("%-12s %-10s %12s %10.2f %10.0f%s%s\n", name, e.name, m.answer, m.cpu.Seconds(), float64(m.peak)/1024, goalOf(name, e.name), note)
		}
	}
	if disagree > 0 {
		return fmt.Errorf("%d answers are not of the size that is expected", disagree)
	}
	return nil
}

// run runs a command to its end and takes the last line that it prints for its
// answer.
func run(command []string, patience time.Duration) outcome {
	cmd := exec.Command(command[0], command[1:]...)
	var out strings.Builder
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		return outcome{answer: err.Error()}
	}
	late := time.AfterFunc(patience, func() { cmd.Process.Kill() })
	err := cmd.Wait()
	o := outcome{cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		o.peak = usage.Maxrss
	}
	if !late.Stop() {
		o.answer = "stopped"
		return o
	}
	lines := strings.Fields(strings.TrimSpace(out.String()))
	if err != nil || len(lines) == 0 {
		o.answer = "failed"
		return o
	}
	o.answer, o.ok = lines[len(lines)-1], true
	return o
}
