package main

import "fmt"

// goal is what a workload may take in the sandbox, and what it is to take, in
// processor seconds from start to answer; 0 where nothing is set.
type goal struct{ must, aim float64 }

var goals = map[string]goal{
	"w1s": {1.2, 0.45}, "w1l": {6, 2}, "w1d": {0.9, 0.5}, "w2": {1.2, 0.25}, "w3s": {1, 0.4}, "w3l": {5, 2.6},
	"w4a": {1.2, 0.2}, "w4b": {1.5, 0.3}, "w4c": {0, 0.05}, "w4C": {0, 0.5}, "w5": {1.4, 0.5},
}

// goalOf writes the goal of a workload beside a figure of an engine that it is
// set for.
func goalOf(workload, engine string) string {
	g, ok := goals[workload]
	if !ok || engine != "sandbox" {
		return ""
	}
	must := ""
	if g.must > 0 {
		must = fmt.Sprintf("%.2f", g.must)
	}
	return fmt.Sprintf(" %8s %8.2f", must, g.aim)
}
