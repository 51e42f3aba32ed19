package runtime_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/runtime"
	"github.com/ox-mcp/ox-mcp/host/store"
)

const longManifest = "[package]\nname = \"harbour\"\nprelude = [\"std::core::type\", \"std::core::rel\"]\n"

const longSource = `pub type Ship { mut tons: Int = 100, mut flag: String? }
pub rel Calls(s: Ship, at: String) { mut days: Int? };
pub standpoint registry { }
pub standpoint coastguard { }
pub standpoint press { }
pub standpoint crews { }
pub derive heavy(s, n) :- s: Ship, n = s.tons, n > 400;
pub derive calling(s, p) :- heavy(s, _), Calls(s, p);
pub query one(s: Ship) -> [Int] across [registry, coastguard, press, crews] { select n from heavy(s, n) }
pub query all() -> calling across [registry, coastguard, press, crews];
pub query apart() -> [Int] across [press] { select n from n in [1] where s: Ship }
pub query alone(s: Ship) -> [Int] { select n from n in [1] where s: Ship }
pub mutate weigh(s: Ship, n: Int) { update s set { tons = n }; }
pub mutate weigh_on(s: Ship, n: Int, d: Date) { update s set { tons = n } at d; }
pub mutate leave(s: Ship, at: String) { delete Calls(s, at); }
pub check huge(s: Ship) :- s: Ship, s.tons > 100000
    => Diagnostic { severity: Severity::Error, code: "Harbour::E001", message: "{s} is too heavy" };
`

// longLog is a log of n events, 1,000 a transaction: what four layers say of
// n/5 ships.
func longLog(b *testing.B, n int) store.Log {
	b.Helper()
	log := store.NewMemory()
	scope := store.Scope{Tenant: "default", Fork: "main"}
	from := store.Moment{Seconds: clockStart.Unix() - 1000}
	layers := []string{"", "registry", "coastguard", "press", "registry"}
	var tx store.Transaction
	tx.Now = from
	flush := func() {
		c, err := log.Append(context.Background(), scope, tx)
		if err != nil {
			b.Fatal(err)
		}
		tx.After, tx.Events = c.TT, nil
	}
	for i := range n {
		ship := abi.Value{Kind: abi.KindNamed, Str: fmt.Sprintf("s%d", i/5)}
		e := store.Event{ValidFrom: from, Layer: layers[i%5], Relation: "root::Ship+", Tuple: []abi.Value{ship}}
		switch i % 5 {
		case 1, 2:
			e.Relation, e.Tuple = "root::Ship.tons", []abi.Value{ship, abi.IntValue(int64(300 + i%400))}
		case 3:
			e.Relation, e.Tuple = "root::Ship.flag", []abi.Value{ship, abi.StringValue("NL")}
		case 4:
			if e.Relation, e.Tuple = "root::Calls+", []abi.Value{ship, abi.StringValue("hull")}; i%2 == 0 {
				e.Layer = "crews"
			}
		}
		if tx.Events = append(tx.Events, e); len(tx.Events) == 1000 {
			flush()
		}
	}
	flush()
	return log
}

// BenchmarkALongLog is what calls on a log of 100,000 events take once the
// states that they read stand.
func BenchmarkALongLog(b *testing.B) {
	p := open(b, map[string]string{"ox.toml": longManifest, "root.ar": longSource}, nil)
	p.log = longLog(b, 100_000)
	p.Service = p.another(map[string]string{"limits.unpagedChars": "100000000"})
	read := func(name string, a runtime.Args) func(b *testing.B) {
		return func(b *testing.B) {
			for i := range b.N + 1 {
				if i == 1 {
					b.ResetTimer()
				}
				res, err := p.Query(b.Context(), runtime.QueryRequest{Name: name, Args: a, Common: runtime.Common{Page: &runtime.Page{Limit: 10}}})
				if err != nil || res.Refused() || res.Total == 0 {
					b.Fatalf("%+v %v", res, err)
				}
				b.ReportMetric(float64(res.Usage.Fuel), "fuel")
			}
		}
	}
	write := func(name string, a func(i int) runtime.Args) func(b *testing.B) {
		return func(b *testing.B) {
			for i := range b.N + 1 {
				if i == 1 {
					b.ResetTimer()
				}
				res, err := p.Mutate(b.Context(), runtime.MutateRequest{Name: name, Args: a(i)})
				if err != nil || res.Refused() {
					b.Fatalf("%+v %v", res, err)
				}
			}
		}
	}
	b.Run("read", read("alone", args("s", "s7")))
	b.Run("federated/one", read("one", args("s", "s40")))
	b.Run("federated/all", read("all", nil))
	b.Run("write/now", write("weigh", func(i int) runtime.Args { return args("s", "s7", "n", i) }))
	b.Run("write/tuple", write("leave", func(i int) runtime.Args { return args("s", fmt.Sprintf("s%d", i), "at", "hull") }))
	b.Run("write/dated", write("weigh_on", func(i int) runtime.Args { return args("s", "s7", "n", i, "d", "2031-08-01") }))
}
