package runtime

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// TestNoCallFailsWhileBuildsAreSwapped asks, writes and swaps at once between
// two builds. The second of them leaves one row out of the three that Stop
// begins with, so that an answer shows which build it is from; a short run
// builds no guest and has the same build under another hash in its place.
func TestNoCallFailsWhileBuildsAreSwapped(t *testing.T) {
	s := newSwapService(t, nil)
	whole := reasonerBytes(t)
	second, left := twin(whole, "twin"), 3
	if !testing.Short() {
		second, left = modal(t, "scope"), 2
	}
	builds := []PluginSource{{Name: "whole", Wasm: whole}, {Name: "second", Wasm: second}}
	rows := map[string]int{PinOf(whole): 3, PinOf(second): left}
	rowsOf(t, s, "all_of")
	// Compiling is not what is tried here: it is done before the calls begin.
	if res, err := s.Swap(t.Context(), builds[1], SwapOptions{AcceptDiff: true}); err != nil || res.Outcome != SwapDone {
		t.Fatalf("%+v %v", res, err)
	}
	ctx, done := context.WithCancel(t.Context())
	defer done()
	var readers, writers sync.WaitGroup
	var answers, writes atomic.Int64
	seen := sync.Map{}
	for range 3 {
		readers.Go(func() {
			for ctx.Err() == nil {
				res, err := s.Derive(context.Background(), DeriveRequest{Name: "Stop"})
				if err != nil || res.Refused() {
					t.Errorf("a call failed: %v %+v", err, res)
					return
				}
				if want, ok := rows[res.Reasoner.Blake3]; !ok || res.Total != want {
					t.Errorf("%d rows, said to be of the build %s", res.Total, res.Reasoner.Blake3)
					return
				}
				seen.Store(res.Reasoner.Blake3, true)
				answers.Add(1)
			}
		})
	}
	const pairs = 12
	writers.Go(func() {
		for i := range pairs {
			for _, name := range []string{"add", "remove"} {
				res, err := s.Mutate(context.Background(), MutateRequest{Name: name, Args: Args{"x": []byte(`"a"`), "y": []byte(`"c"`)}, IdempotencyKey: fmt.Sprint(name, i)})
				if err != nil || res.Refused() {
					t.Errorf("a write failed: %v %+v", err, res)
					return
				}
				writes.Add(1)
			}
		}
	})
	for i := range 3 {
		res, err := s.Swap(t.Context(), builds[i%2], SwapOptions{AcceptDiff: true})
		if err != nil || res.Outcome != SwapDone {
			t.Errorf("swap %d: %+v %v", i, res, err)
		}
	}
	writers.Wait()
	done()
	readers.Wait()
	if writes.Load() != 2*pairs {
		t.Errorf("%d writes", writes.Load())
	}
	for hash := range rows {
		if _, ok := seen.Load(hash); !ok {
			t.Errorf("no answer of the build %s among %d", hash, answers.Load())
		}
	}
	// Nothing that was written is lost on the way from build to build.
	log, err := s.cfg.Log.Events(t.Context(), s.liveScope(), 0, 1<<60)
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for _, e := range log {
		if strings.HasSuffix(e.Relation, "Line+") {
			lines++
		}
	}
	if lines != 2*pairs {
		t.Errorf("the log has %d changes of Line, there were %d", lines, 2*pairs)
	}
	res, err := s.Swap(t.Context(), builds[1], SwapOptions{AcceptDiff: true})
	if err != nil || res.Outcome != SwapDone {
		t.Fatalf("%+v %v", res, err)
	}
	if got, err := s.Derive(t.Context(), DeriveRequest{Name: "Stop"}); err != nil || got.Total != left {
		t.Errorf("%+v rows at the end, of %d: %v", got, left, err)
	}
}
