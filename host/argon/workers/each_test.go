package workers

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

func TestEachCallsOnceForEveryIndex(t *testing.T) {
	for _, count := range []int{0, 1, 2, 8} {
		for _, n := range []int{0, 1, 2, 100} {
			got := make([]int32, n)
			Each(count, n, func(i int) { atomic.AddInt32(&got[i], 1) })
			if slices.ContainsFunc(got, func(c int32) bool { return c != 1 }) {
				t.Errorf("%d goroutines, %d steps: called %v times", count, n, got)
			}
		}
	}
}

func TestEachPanicsWithWhatAStepPanicked(t *testing.T) {
	for _, count := range []int{1, 4} {
		for failing := range count {
			func() {
				// All goroutines are at a step before one fails: it need not be the caller's.
				var begun sync.WaitGroup
				begun.Add(count)
				defer func() {
					if got := recover(); got != "no" {
						t.Errorf("%d goroutines, step %d: recovered %v", count, failing, got)
					}
				}()
				Each(count, 100, func(i int) {
					if i < count {
						begun.Done()
						begun.Wait()
					}
					if i == failing {
						panic("no")
					}
				})
				t.Errorf("%d goroutines, step %d: no panic", count, failing)
			}()
		}
	}
}

func TestCountIsAtLeastOne(t *testing.T) {
	if Count(0) < 1 || Count(-1) < 1 || Count(3) != 3 {
		t.Errorf("Count(0) = %d, Count(-1) = %d, Count(3) = %d", Count(0), Count(-1), Count(3))
	}
}

func TestAsideEndsBeforeWaitDoes(t *testing.T) {
	for _, count := range []int{1, 2} {
		done := false
		wait := Aside(count, func() { done = true })
		wait()
		if !done {
			t.Errorf("%d goroutines: wait came first", count)
		}
		func() {
			defer func() {
				if got := recover(); got != "no" {
					t.Errorf("%d goroutines: recovered %v", count, got)
				}
			}()
			Aside(count, func() { panic("no") })()
			t.Errorf("%d goroutines: no panic", count)
		}()
	}
}
