package runtime_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

func TestALimitStopsACallAndNotTheService(t *testing.T) {
	if testing.Short() {
		t.Skip("slow under the race detector, and one goroutine")
	}
	for _, tc := range []struct {
		limit  string
		values map[string]string
		wishes map[string]uint64
	}{
		{"derived", map[string]string{"limits.derived": "5000"}, nil},
		{"rounds", map[string]string{"limits.rounds": "300"}, nil},
		{"fuel", map[string]string{"limits.fuel": "20000000"}, nil},
		{"deadline", map[string]string{"limits.deadline": "300ms"}, nil},
		{"derived", nil, map[string]uint64{"derived": 5000}},
		{"fuel", nil, map[string]uint64{"fuel": 20_000_000}},
	} {
		t.Run(tc.limit, func(t *testing.T) {
			p := open(t, portFiles(), tc.values)
			p.accepted("arrive", args("name", "Bo", "length", 7))
			res := p.query("numbers", runtime.Common{Limits: tc.wishes})
			if res.LimitExceeded == nil {
				t.Fatalf("not stopped by a limit: %s %s", res.Code, res.Message)
			}
			same(t, "code", res.Code, "LIMIT_EXCEEDED")
			same(t, "limit", res.LimitExceeded.Limit, tc.limit)
			if res.LimitExceeded.Allowed == 0 || res.LimitExceeded.Remedy == "" {
				t.Errorf("%+v", res.LimitExceeded)
			}
			same(t, "rows", len(res.Rows), 0)
			same(t, "what does not depend on it", p.rows("ships", nil), "[(Bo) (aurora)]")
			same(t, "a write after it", p.accepted("moor", args("ship", "aurora", "berth", "north")), 4)
		})
	}
}

func TestAWishOnlyNarrows(t *testing.T) {
	p := open(t, portFiles(), map[string]string{"limits.derived": "5000"})
	res := p.query("numbers", runtime.Common{Limits: map[string]uint64{"derived": 1 << 40}})
	same(t, "lowered", res.Lowered, "[derived]")
	same(t, "allowed", res.LimitExceeded.Allowed, 5000)
	_, err := p.Query(t.Context(), runtime.QueryRequest{Name: "ships", Common: runtime.Common{Limits: map[string]uint64{"fool": 1}}})
	var invalid *runtime.InvalidArguments
	if !errors.As(err, &invalid) {
		t.Errorf("an unknown limit: %v", err)
	}
}

func TestABodyBeyondItsLimit(t *testing.T) {
	p := open(t, portFiles(), map[string]string{"limits.bodyBytes": "16"})
	res, err := p.Query(t.Context(), runtime.QueryRequest{Body: "select s from s: Ship"})
	if err != nil {
		t.Fatal(err)
	}
	if res.LimitExceeded == nil || res.LimitExceeded.Limit != "body" {
		t.Errorf("%+v", res.Outcome)
	}
}

func TestACancelledQueryEndsAndTheServiceLives(t *testing.T) {
	p := open(t, portFiles(), map[string]string{"limits.derived": "1099511627776", "limits.rounds": "1099511627776"})
	p.rows("ships", nil)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := p.Query(ctx, runtime.QueryRequest{Name: "numbers"})
		ended <- err
	}()
	time.Sleep(100 * time.Millisecond) // let it come to run
	select {
	case err := <-ended:
		t.Fatalf("the query without an end has ended: %v", err)
	default:
	}
	cancel()
	select {
	case err := <-ended:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("a cancelled query ends with %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("a cancelled query goes on")
	}
	same(t, "the next call", p.rows("ships", nil), "[(aurora)]")
	same(t, "and a write", p.accepted("arrive", args("name", "Bo", "length", 7)), 2)
}

func TestReadsAndWritesAtOnce(t *testing.T) {
	p := open(t, portFiles(), nil)
	p.rows("ships", nil)
	const writers, each = 4, 5
	var wg sync.WaitGroup
	stamps := make(chan int64, writers*each)
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				res, err := p.Mutate(t.Context(), runtime.MutateRequest{Name: "arrive", Args: args("name", string(rune('a'+w))+string(rune('0'+i)), "length", 7)})
				if err != nil || res.Receipt == nil {
					t.Errorf("write: %v %v", res, err)
					return
				}
				stamps <- res.Receipt.TT
			}
		})
	}
	for range 2 {
		wg.Go(func() {
			last := 0
			for range 10 {
				res, err := p.Query(t.Context(), runtime.QueryRequest{Name: "ships"})
				if err != nil || res.Refused() {
					t.Errorf("read: %v %v", res, err)
					return
				}
				if res.Total < last {
					t.Errorf("a later read sees %d ships, an earlier one saw %d", res.Total, last)
				}
				last = res.Total
			}
		})
	}
	wg.Wait()
	close(stamps)
	seen := map[int64]bool{}
	for tt := range stamps {
		if tt%2 != 0 || seen[tt] {
			t.Errorf("stamp %d", tt)
		}
		seen[tt] = true
	}
	same(t, "stamps", len(seen), writers*each)
	same(t, "ships", len(p.rows("ships", nil)), writers*each+1)
}

func TestAServiceGivesAllItsInstancesBack(t *testing.T) {
	p := open(t, portFiles(), map[string]string{"limits.derived": "5000"})
	host, err := newSandbox()
	if err != nil {
		t.Fatal(err)
	}
	s := p.on(host, map[string]string{"limits.derived": "5000"})
	q := &port{Service: s, t: t, dir: p.dir}
	q.rows("ships", nil)
	q.query("numbers", runtime.Common{})
	q.accepted("arrive", args("name", "Bo", "length", 7))
	q.mutate("moor", args("ship", "aurora", "berth", "quay"))
	q.rows("ships", stamp(0))
	for _, body := range []string{"select s from s: Ship", "select s from s: Shp"} {
		if _, err := q.Query(t.Context(), runtime.QueryRequest{Body: body}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := q.Test(t.Context(), runtime.TestRequest{}); err != nil {
		t.Fatal(err)
	}
	q.write("demo.toml", "[[step]]\ndo = \"query\"\npath = \"ships\"\n")
	if res, err := q.RunScenario(t.Context(), runtime.ScenarioRequest{File: "demo.toml"}); err != nil || !res.OK {
		t.Fatal(res, err)
	}
	closed := make(chan struct{})
	go func() {
		s.Close(context.Background())
		host.Close(context.Background())
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(20 * time.Second):
		t.Fatal("an instance was never given back: the sandbox does not close")
	}
}
