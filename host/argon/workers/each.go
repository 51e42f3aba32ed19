// Package workers shares steps that do not depend on each other out among
// goroutines.
package workers

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Count returns how many goroutines asked stands for: itself, or, if it is not
// positive, as many as there are processors.
func Count(asked int) int {
	if asked > 0 {
		return asked
	}
	return runtime.GOMAXPROCS(0)
}

// Each calls do for each i from 0 up to n, in up to count goroutines of which
// the caller's is one, and returns when all calls have. Calls begin in the order
// of i. If one panics no other begins, and Each panics with the same value.
func Each(count, n int, do func(i int)) {
	var (
		next  atomic.Int64
		wait  sync.WaitGroup
		once  sync.Once
		cause any
		ended bool
	)
	work := func() {
		done := false
		defer func() {
			if done {
				return
			}
			next.Store(int64(n))
			why := recover() // takes effect only in the deferred function itself
			once.Do(func() { cause, ended = why, true })
		}()
		for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
			do(int(i))
		}
		done = true
	}
	for range min(count, n) - 1 {
		wait.Go(work)
	}
	work()
	wait.Wait()
	if ended {
		panic(cause)
	}
}
