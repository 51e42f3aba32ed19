package runtime

import (
	"fmt"
	"testing"
	"time"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
)

// TestABuildGoesOnWithItsOwnFigures: swapped out and in again, a build has what
// it had; under another name it is another build.
func TestABuildGoesOnWithItsOwnFigures(t *testing.T) {
	var l ledger
	key := tallyKey{abi.WorldReasoner, "", "aa"}
	first := l.take(key)
	first.count("ox:plugin/reasoner@0.1.0#derive", sandbox.Usage{Fuel: 5, MemoryBytes: 100}, nil, time.Millisecond)
	l.give(first)
	again := l.take(key)
	again.count("ox:plugin/reasoner@0.1.0#derive", sandbox.Usage{Fuel: 7, MemoryBytes: 50}, &sandbox.Trap{Kind: sandbox.OutOfFuel, Limit: abi.Breach{Limit: abi.LimitFuel}}, time.Second)
	again.count("ox:plugin/reasoner@0.1.0#load", sandbox.Usage{Fuel: 1}, nil, time.Second)
	again.count("ox:plugin/reasoner@0.1.0#load", sandbox.Usage{}, &abi.Failure{Code: abi.FailureLimit}, time.Second)
	again.count("ox:plugin/reasoner@0.1.0#load", sandbox.Usage{}, &abi.Failure{Code: abi.FailureEval}, time.Second)
	again.add(1, 0, 2)
	if other := l.take(tallyKey{abi.WorldEvaluator, "digits", "aa"}); other == again {
		t.Error("one tally for two builds")
	}
	b := again.stats()
	if len(b.Operations) != 2 || b.Operations[0].Operation != "derive" || b.Operations[0].Calls != 2 || b.Operations[0].Fuel != 12 || b.Operations[0].Time != time.Second+time.Millisecond {
		t.Errorf("the operations are %+v", b.Operations)
	}
	if n := b.Operations[0].UpTo[1600*time.Microsecond]; n != 1 {
		t.Errorf("%d calls within 1.6 ms: %v", n, b.Operations[0].UpTo)
	}
	var s PluginStatus
	again.fill(&s)
	if s.Calls != 5 || s.Fuel != 13 || s.PeakMemory != 100 || s.Refusals != 2 || s.Traps != 1 || s.CacheHits != 2 || s.Latency.Max != 1_000_000 {
		t.Errorf("the status has %+v", s)
	}
}

// TestBuildsThatAreGoneAreForgotten keeps the latest ones, and each that is
// still called.
func TestBuildsThatAreGoneAreForgotten(t *testing.T) {
	var l ledger
	kept := l.take(tallyKey{abi.WorldReasoner, "", "kept"})
	for i := range 3 * maxIdleTallies {
		l.give(l.take(tallyKey{abi.WorldReasoner, "", fmt.Sprint(i)}))
	}
	list := l.tallies()
	if len(list) != maxIdleTallies+1 || list[0] != kept {
		t.Fatalf("%d builds are remembered", len(list))
	}
	if last := list[len(list)-1].key.blake3; last != fmt.Sprint(3*maxIdleTallies-1) {
		t.Errorf("the last one is %s", last)
	}
}
