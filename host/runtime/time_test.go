package runtime_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

func TestTransactionTimeCountsAcceptedWrites(t *testing.T) {
	p := open(t, portFiles(), nil)
	same(t, "first", p.accepted("arrive", args("name", "Bo", "length", 7)), 2)
	same(t, "refused", p.mutate("moor", args("ship", "aurora", "berth", "quay")).Code, "ARGON_RUNTIME_CHECK_VIOLATION")
	same(t, "second", p.accepted("arrive", args("name", "Cy", "length", 8)), 4)
	for _, tc := range []struct {
		tt   int64
		want string
	}{
		{0, "[(aurora)]"}, {1, "[(aurora)]"}, {2, "[(Bo) (aurora)]"}, {3, "[(Bo) (aurora)]"},
		{4, "[(Bo) (Cy) (aurora)]"}, {400, "[(Bo) (Cy) (aurora)]"},
	} {
		same(t, "as of a stamp", p.rows("ships", stamp(tc.tt)), tc.want)
	}
	for tt, want := range map[int64]string{0: "", 3: "", 4: "", 5: "4", 400: "4"} {
		got := ""
		if latest := p.query("ships", runtime.Common{AsOf: stamp(tt)}).LatestStamp; latest != nil {
			got = fmt.Sprint(*latest)
		}
		same(t, fmt.Sprint("latest stamp of a read at ", tt), got, want)
	}
	same(t, "now", p.rows("ships", nil), "[(Bo) (Cy) (aurora)]")
	same(t, "as_of in the source", p.rows("at_two", nil), "[(Bo) (aurora)]")
	same(t, "the caller's asOf displaces it", p.rows("at_two", stamp(0)), "[(aurora)]")
	_, err := p.Query(t.Context(), runtime.QueryRequest{Name: "ships", Common: runtime.Common{AsOf: stamp(-1)}})
	same(t, "a negative stamp", err, "asOf.tt: expected a transaction stamp: 0 for declared facts alone, then 2, 4, …, got -1")
}

func TestAReadAtADateSeesThatDay(t *testing.T) {
	p := open(t, portFiles(), nil)
	p.accepted("arrive", args("name", "Bo", "length", 7))
	for _, tc := range []struct{ vt, want string }{
		{"2031-07-03", "[(aurora)]"},
		{"2031-07-04", "[(Bo) (aurora)]"},
		{"2031-07-04T09:59:59Z", "[(aurora)]"},
		{"2031-07-04T10:00:00Z", "[(Bo) (aurora)]"},
		{"1900-01-01", "[(aurora)]"}, // a declared fact has always been valid
		{"2100-01-01", "[(Bo) (aurora)]"},
	} {
		same(t, tc.vt, p.rows("ships", &runtime.AsOf{VT: tc.vt}), tc.want)
	}
	tt := int64(0)
	same(t, "both axes", p.rows("ships", &runtime.AsOf{TT: &tt, VT: "2100-01-01"}), "[(aurora)]")
	_, err := p.Query(t.Context(), runtime.QueryRequest{Name: "ships", Common: runtime.Common{AsOf: &runtime.AsOf{VT: "soon"}}})
	if err == nil {
		t.Error("a date that is none is taken")
	}
}

func TestAWriteAtADateHoldsFromThen(t *testing.T) {
	p := open(t, portFiles(), nil)
	// Written on the 4th, valid from the 10th on.
	p.accepted("moor_on", args("ship", "aurora", "berth", "north", "day", "2031-07-10"))
	same(t, "today", p.rows("moorings", nil), "[]")
	same(t, "the day before", p.rows("moorings", &runtime.AsOf{VT: "2031-07-09"}), "[]")
	same(t, "the first instant", p.rows("moorings", &runtime.AsOf{VT: "2031-07-10T00:00:00Z"}), "[(aurora)]")
	same(t, "before it was recorded", p.rows("moorings", &runtime.AsOf{TT: stamp(0).TT, VT: "2031-07-20"}), "[]")
	// No write is needed for the day to come.
	p.advance(6 * 24 * time.Hour)
	same(t, "on the 10th", p.rows("moorings", nil), "[(aurora)]")
	// In the past as well.
	p.accepted("leave", args("ship", "aurora", "berth", "north"))
	same(t, "it left today", p.rows("moorings", nil), "[]")
	same(t, "this morning it was here", p.rows("moorings", &runtime.AsOf{VT: "2031-07-10T08:00:00Z"}), "[(aurora)]")
}

func TestAWriteAtAPastDate(t *testing.T) {
	p := open(t, portFiles(), nil)
	p.accepted("moor_on", args("ship", "aurora", "berth", "north", "day", "2020-01-01"))
	same(t, "now", p.rows("moorings", nil), "[(aurora)]")
	same(t, "then", p.rows("moorings", &runtime.AsOf{VT: "2020-01-01"}), "[(aurora)]")
	same(t, "before", p.rows("moorings", &runtime.AsOf{VT: "2019-12-31"}), "[]")
	same(t, "nobody knew", p.rows("moorings", &runtime.AsOf{TT: stamp(0).TT, VT: "2025-01-01"}), "[]")
}

// A write that begins later must not bring in what a check forbids then.
func TestAWriteAtADateIsJudgedOnThatDate(t *testing.T) {
	p := open(t, portFiles(), nil)
	p.accepted("moor_on", args("ship", "aurora", "berth", "north", "day", "2031-07-10"))
	res := p.mutate("moor_on", args("ship", "aurora", "berth", "quay", "day", "2031-07-12"))
	same(t, "its code", res.DiagnosticCodes, "[Port::E001]")
	same(t, "it says when", res.Message, "Aurora does not fit (from 2031-07-12T00:00:00Z on)")
	same(t, "nothing is written", p.rows("moorings", &runtime.AsOf{VT: "2031-07-12"}), "[(aurora)]")
	res = p.mutate("moor_on", args("ship", "aurora", "berth", "quay", "day", "2031-07-01"))
	same(t, "one that has begun", res.Message, "Aurora does not fit")
	// What is violated on that day in any case does not stand in the way.
	p.accepted("arrive", args("name", "Bo", "length", 30))
	p.accepted("moor_on", args("ship", "Bo", "berth", "quay", "day", "2031-07-12"))
	p.accepted("lengthen", args("ship", "Bo", "length", 31))
}

func TestAStepOfATestIsJudgedOnItsDate(t *testing.T) {
	p := open(t, map[string]string{"ox.toml": "[package]\nname = \"seats\"\nversion = \"0.1.0\"\n", "root.ar": `use std::core::{type, rel};
pub type Seat;
pub type Guest { mut age: Int }
pub type Adult <: Guest where { self.age >= 18 };
pub rel Sits(g: Guest, s: Seat) [0..1] [0..1];
pub fact Seat(first);
pub fact Guest(eva) { age: 40 };
pub fact Guest(tim) { age: 9 };
test "later" {
    insert Sits(eva, first) at #2998-01-01#;
    assert rejects (OE0252) { insert Sits(tim, first) at #2999-01-01#; };
    assert rejects (OE0668) { insert iof(tim, Adult) at #2999-01-01#; };
    insert iof(eva, Adult) at #2999-01-01#;
    assert !Sits(eva, first) && !Adult(eva);
}
`}, nil)
	res, err := p.Test(t.Context(), runtime.TestRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Tests) != 1 || res.Tests[0].Outcome != "PASS" {
		t.Errorf("%+v", res.Tests)
	}
}
