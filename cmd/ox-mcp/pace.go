package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// The collector's pace in a process that does one thing and ends. Go lets the heap
// grow to twice of what is alive, from 4 MB on: a compiler whose heap grows all the
// time then has each tree of a package marked again and again, with memory to
// spare. Here it may grow to heapAimed, at first by more than twice.
const (
	// heapAimed is the size of the heap in bytes up to which memory is spent for
	// fewer collections.
	heapAimed = 400 << 20
	// The growth between two collections, in percent of what is alive: of a small
	// heap, of one that comes near heapAimed, and, as Go has it, of one beyond.
	percentMost  = 400
	percentLeast = 50
	percentOfGo  = 100
)

// paceCollector paces the collector, unless whoever started the process has paced
// it.
func paceCollector(getenv func(string) string) {
	if getenv("GOGC") != "" || getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetGCPercent(percentFor(0))
	runtime.SetFinalizer(new(collected), (*collected).again)
}

// collected is an object that is given up in every collection.
type collected struct{ _ [64]byte } // of a size that is not put together with others

// again sets the growth until the next collection by what is alive after this one.
func (c *collected) again() {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() == metrics.KindUint64 {
		debug.SetGCPercent(percentFor(sample[0].Value.Uint64()))
	}
	runtime.SetFinalizer(c, (*collected).again)
}

// percentFor returns the percentage of growth where so many bytes are alive.
func percentFor(alive uint64) int {
	switch {
	case alive >= heapAimed:
		return percentOfGo
	case alive*(100+percentMost)/100 <= heapAimed:
		return percentMost
	}
	return max(int((heapAimed-alive)*100/alive), percentLeast)
}
