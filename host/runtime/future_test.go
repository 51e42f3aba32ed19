package runtime_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

const seatsSource = `use std::core::{type, rel};
pub type Seat;
pub type Guest { mut age: Int }
pub type Adult <: Guest where { self.age >= 18 };
pub type Staff <: Guest;
disjoint { Adult, Staff }
pub rel Sits(g: Guest, s: Seat) [0..1] [0..1];
pub fact Seat(first);
pub fact Seat(second);
pub fact Guest(eva) { age: 40 };
pub fact Guest(tim) { age: 30 };
pub fact Guest(ida) { age: 30 };
pub mutate sit(g: Guest, s: Seat) { insert Sits(g, s); }
pub mutate sit_on(g: Guest, s: Seat, day: Date) { insert Sits(g, s) at day; }
pub mutate rise(g: Guest, s: Seat) { delete Sits(g, s); }
pub mutate rise_on(g: Guest, s: Seat, day: Date) { delete Sits(g, s) at day; }
pub mutate adult_on(g: Guest, day: Date) { insert iof(g, Adult) at day; }
pub mutate hire(g: Guest) { insert iof(g, Staff); }
pub mutate dismiss_on(g: Guest, day: Date) { delete iof(g, Staff) at day; }
pub mutate younger(g: Guest, age: Int) { update g set { age = age }; }
pub mutate younger_on(g: Guest, age: Int, day: Date) { update g set { age = age } at day; }
pub query sitting() -> Sits;
`

func seats(t *testing.T) *port {
	return open(t, map[string]string{"ox.toml": "[package]\nname = \"seats\"\nversion = \"0.1.0\"\n", "root.ar": seatsSource}, nil)
}

// A write of today is judged by what an earlier one said of a day to come.
func TestAWriteIsJudgedByWhatIsSaidOfLaterDays(t *testing.T) {
	p := seats(t)
	p.accepted("sit_on", args("g", "eva", "s", "first", "day", "2031-08-01"))
	res := p.mutate("sit", args("g", "tim", "s", "first"))
	same(t, "its code", res.DiagnosticCodes, "[OE0252]")
	same(t, "it says when", res.Message, "Sits has 2 values of g for first, and its cardinality allows 1 (from 2031-08-01T00:00:00Z on)")
	p.accepted("sit", args("g", "tim", "s", "second"))
	// Who has left before does not stand in the way.
	p.accepted("rise_on", args("g", "eva", "s", "first", "day", "2031-08-01"))
	p.accepted("sit", args("g", "ida", "s", "first"))

	p.accepted("adult_on", args("g", "eva", "day", "2031-09-01"))
	same(t, "a refinement", p.mutate("younger", args("g", "eva", "age", 12)).DiagnosticCodes, "[OE0668]")
	p.accepted("younger", args("g", "eva", "age", 50))
	same(t, "a group", p.mutate("hire", args("g", "eva")).DiagnosticCodes, "[OE0240]")
	p.accepted("hire", args("g", "tim"))
	p.accepted("dismiss_on", args("g", "tim", "day", "2031-08-15"))
	p.accepted("adult_on", args("g", "tim", "day", "2031-08-15"))
	same(t, "a day too early", p.mutate("adult_on", args("g", "tim", "day", "2031-08-14")).DiagnosticCodes, "[OE0240]")
}

// What is violated on a later day in any case does not stand in the way.
func TestAViolationOfALaterDayIsNoneOfAnotherWrite(t *testing.T) {
	p := open(t, map[string]string{"ox.toml": "[package]\nname = \"seats\"\nversion = \"0.1.0\"\n", "root.ar": seatsSource + `
pub fact Sits(eva, first) at #2031-08-01#;
pub fact Sits(tim, first) at #2031-08-01#;
`}, nil)
	p.accepted("hire", args("g", "tim"))
	p.accepted("sit", args("g", "ida", "s", "second"))
	same(t, "one more", p.mutate("sit", args("g", "eva", "s", "second")).DiagnosticCodes, "[OE0252]")
}

// What goes on step by step is what each of the days is by itself.
func TestTheDaysToComeAreWhatTheyAreByThemselves(t *testing.T) {
	p := seats(t)
	// eva has the first seat on every second day.
	days := []string{"2031-08-01", "2031-08-02", "2031-08-03", "2031-08-04", "2031-08-05", "2031-08-06"}
	for i, day := range days {
		name := "sit_on"
		if i%2 == 1 {
			name = "rise_on"
		}
		p.accepted(name, args("g", "eva", "s", "first", "day", day))
	}
	for i, day := range days {
		res := p.mutate("sit_on", args("g", "tim", "s", "first", "day", day))
		if i < len(days)-1 {
			same(t, day, res.DiagnosticCodes, "[OE0252]")
			continue
		}
		same(t, day, res.Message, "")
	}
	p.accepted("younger_on", args("g", "ida", "age", 12, "day", "2031-08-10"))
	p.accepted("younger_on", args("g", "ida", "age", 19, "day", "2031-08-12"))
	same(t, "too young from the next day on", p.mutate("adult_on", args("g", "ida", "day", "2031-08-09")).Message,
		"ida is in Adult and does not satisfy Adult where { self.age >= 18 } (from 2031-08-10T00:00:00Z on)")
	same(t, "too young", p.mutate("adult_on", args("g", "ida", "day", "2031-08-11")).DiagnosticCodes, "[OE0668]")
	p.accepted("adult_on", args("g", "ida", "day", "2031-08-12"))
	same(t, "who sits there", p.rows("sitting", &runtime.AsOf{VT: "2031-08-07"}), "[(tim,first)]")
}

// What is planned for later costs a write no more than a call may cost.
func TestTheDaysToComeAreJudgedWithinTheLimits(t *testing.T) {
	source := seatsSource
	for i := range 400 {
		day := time.Date(2031, 1, 1+2*i, 0, 0, 0, 0, time.UTC)
		source += fmt.Sprintf("pub fact Sits(eva, first) at #%s#..#%s#;\n", day.Format(time.DateOnly), day.Format(time.DateOnly))
	}
	for limit, code := range map[uint64]string{60_000_000: "LIMIT_EXCEEDED", 20_000_000_000: ""} {
		p := open(t, map[string]string{"ox.toml": "[package]\nname = \"seats\"\nversion = \"0.1.0\"\n", "root.ar": source}, map[string]string{"limits.fuel": fmt.Sprint(limit)})
		res := p.mutate("sit", args("g", "tim", "s", "second"))
		same(t, "its code", res.Code, code)
		if most := limit + limit/10; res.Usage.Fuel > most {
			t.Errorf("it went on to %d, of %d", res.Usage.Fuel, limit)
		}
		if code != "" {
			same(t, "the limit", res.LimitExceeded.Limit, "fuel")
			if !strings.Contains(res.Message, "planned for later") || !strings.Contains(res.LimitExceeded.Remedy, "plan fewer changes") {
				t.Errorf("it does not say that what is planned costs so much: %s", res.Message)
			}
			same(t, "what is there", p.rows("sitting", nil), "[(eva,first)]")
		}
	}
}
