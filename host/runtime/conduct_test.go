package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ox-mcp/ox-mcp/host/runtime"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
)

func TestAReadOfAnUnknownIndividualGetsAHint(t *testing.T) {
	files := portFiles()
	files["root.ar"] += "pub query length_of(ship: Ship) -> [Int] { select ship.length from ship: Ship }\n"
	p := open(t, files, nil)
	read := func(name string) *runtime.RowsResult {
		res, err := p.Query(context.Background(), runtime.QueryRequest{Name: "length_of", Args: runtime.Args{"ship": json.RawMessage(name)}})
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	if res := read(`"auroa"`); res.Total != 0 || !strings.Contains(res.Message, "did you mean aurora?") {
		t.Errorf("an unknown individual: %d rows, message %q", res.Total, res.Message)
	}
	if res := read(`"aurora"`); res.Total != 1 || res.Message != "" {
		t.Errorf("a declared individual: %d rows, message %q", res.Total, res.Message)
	}
}

func TestAnIndividualHasAName(t *testing.T) {
	p := open(t, portFiles(), nil)
	for _, raw := range []string{`""`, `{"id":""}`, `{"id":"aurora","nmae":"x"}`, `{}`} {
		_, err := p.Mutate(context.Background(), runtime.MutateRequest{Name: "leave", Args: runtime.Args{"ship": json.RawMessage(raw), "berth": json.RawMessage(`"quay"`)}})
		var invalid *runtime.InvalidArguments
		if !errors.As(err, &invalid) {
			t.Errorf("%s is taken as an individual: %v", raw, err)
		}
	}
}

func TestARefusedLargeResultSaysTheCallThatWorks(t *testing.T) {
	files := portFiles()
	var b strings.Builder
	for i := range 120 {
		b.WriteString("pub fact Ship(ship_")
		b.WriteString(strings.Repeat("x", i+1))
		b.WriteString(");\n")
	}
	files["root.ar"] += b.String()
	p := open(t, files, nil)
	res, err := p.Query(context.Background(), runtime.QueryRequest{Name: "pairs"})
	if err != nil {
		t.Fatal(err)
	}
	if res.Code != runtime.CodeResultTooLarge || res.NextStep == nil || res.NextStep.Tool != "argon_query" || res.NextStep.Arguments["name"] != "pairs" || res.NextStep.Arguments["page"] == nil {
		t.Errorf("a result of %d rows: %+v", res.Total, res.Outcome)
	}
}

func TestTheArtifactStaysInThePackage(t *testing.T) {
	p := open(t, portFiles(), nil)
	outside := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(p.dir, "target")); err != nil {
		t.Fatal(err)
	}
	_, err := p.Build(context.Background(), runtime.BuildRequest{})
	if err == nil || !strings.Contains(err.Error(), "leads out of the package") {
		t.Errorf("a target that is a link: %v", err)
	}
	if left, _ := os.ReadDir(outside); len(left) > 0 {
		t.Errorf("something was written outside: %v", left)
	}
}

// A read that takes long must not hold up one that does not.
func TestReadsRunSideBySide(t *testing.T) {
	p := open(t, portFiles(), map[string]string{"limits.rounds": "1000000000", "limits.derived": "1000000000", "limits.fuel": "1000000000000", "limits.deadline": "10m"})
	ctx, cancel := context.WithCancel(context.Background())
	if _, err := p.Query(ctx, runtime.QueryRequest{Name: "ships"}); err != nil {
		t.Fatal(err)
	}
	long := make(chan error, 1)
	go func() {
		_, err := p.Query(ctx, runtime.QueryRequest{Name: "numbers"})
		long <- err
	}()
	// However the two are scheduled, the short one ends while the long one,
	// which never does by itself, goes on.
	time.Sleep(50 * time.Millisecond)
	for range 3 {
		res, err := p.Query(context.Background(), runtime.QueryRequest{Name: "ships"})
		if err != nil || res.Total != 1 {
			t.Fatalf("beside a long read: %+v, %v", res, err)
		}
	}
	select {
	case err := <-long:
		t.Fatalf("the long read ended by itself: %v", err)
	default:
	}
	cancel()
	if err := <-long; !errors.Is(err, context.Canceled) {
		t.Errorf("the long read, cancelled: %v", err)
	}
	if res, err := p.Query(context.Background(), runtime.QueryRequest{Name: "ships"}); err != nil || res.Total != 1 {
		t.Errorf("after it: %+v, %v", res, err)
	}
}

// A check that never ends must not hide the others, however many there are of
// its kind.
func TestACheckThatNeverEndsHidesNoOther(t *testing.T) {
	for _, runaways := range []int{1, 3, 7} {
		files := portFiles()
		for i := range runaways {
			n := string(rune('a' + i))
			files["root.ar"] += "derive up_" + n + "(n: Int) :- n = 1;\nderive up_" + n + "(n: Int) :- up_" + n + "(m), n = m + 1;\n" +
				"pub check never_" + n + "(n: Int) :- up_" + n + "(n), n < 0 => Diagnostic { severity: Severity::Warning, code: \"Port::N" + n + "\", message: \"never\" };\n"
		}
		files["root.ar"] += "pub check found(s: Ship) :- s: Ship, s.length > 5 => Diagnostic { severity: Severity::Error, code: \"Port::E002\", message: \"found\" };\n"
		p := open(t, files, map[string]string{"limits.checkFuel": "200000000"})
		res, err := p.Build(context.Background(), runtime.BuildRequest{})
		if err != nil {
			t.Fatal(err)
		}
		want := "Port::E002"
		if runaways > 4 {
			want = "" // the budget of checks is spent: told, and not found
		}
		var codes, warned []string
		for _, d := range res.GateFailures {
			codes = append(codes, d.Code)
		}
		for _, d := range res.Findings {
			if d.Code == "OW0152" {
				warned = append(warned, d.Check)
				if len(warned) == 1 && !strings.Contains(d.Message, "which derives up_") {
					t.Errorf("the rule that took the budget is not named: %s", d.Message)
				}
			}
		}
		if strings.Join(codes, " ") != want || len(warned) < runaways {
			t.Errorf("%d runaway checks: failures %v, warned of %v", runaways, codes, warned)
		}
	}
}

// States of other read points give their memory back when there is none left.
func TestReadPointsShareTheMemoryThatThereIs(t *testing.T) {
	p := open(t, portFiles(), nil)
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	for _, total := range []uint64{28 << 20, 32 << 20, 64 << 20} {
		host, err := sandbox.New(context.Background(), sandbox.Config{CacheDir: filepath.Join(cache, "ox-mcp"), TotalMemory: total, Now: time.Now, CompileTime: 10 * time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		s := p.on(host, nil)
		for i := range 4 {
			res, err := s.Mutate(context.Background(), runtime.MutateRequest{Name: "arrive", Args: runtime.Args{"name": json.RawMessage(`"S"`), "length": json.RawMessage("7")}})
			if err != nil || res.Receipt == nil {
				t.Fatalf("with %d MiB, write %d: %+v, %v", total>>20, i, res.Outcome, err)
			}
		}
		for _, tt := range []int64{0, 2, 4, 6, 8, 2, 0} {
			res, err := s.Query(context.Background(), runtime.QueryRequest{Name: "ships", Common: runtime.Common{AsOf: &runtime.AsOf{TT: &tt}}})
			if err != nil || res.Refused() || res.Total != 1+int(tt/2) {
				t.Fatalf("with %d MiB, as of %d: %d rows, %+v, %v", total>>20, tt, res.Total, res.Outcome, err)
			}
		}
		s.Close(context.Background())
		if err := host.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}
}

func TestWhyNotKeepsARepeatedVariable(t *testing.T) {
	files := portFiles()
	files["root.ar"] += "pub fact LiesAt(aurora, north);\nderive self_moored(s: Ship) :- s: Ship, LiesAt(x, x);\n"
	p := open(t, files, nil)
	res, err := p.Explain(context.Background(), runtime.ExplainRequest{Fact: "self_moored(aurora)", Format: "text"})
	if err != nil {
		t.Fatal(err)
	}
	if res.Derived || !strings.Contains(res.Rendered, "missing: LiesAt(x, x)") {
		t.Errorf("the missing premise is shown as\n%s", res.Rendered)
	}
}
