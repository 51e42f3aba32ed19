package runtime_test

import (
	"testing"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

// A node of a proof may be of a server that has ended, and of a stamp that the
// log of this one has yet to come to. It is refused, and what is written
// afterwards has its names, and its proofs, as if nobody had asked.
func TestANodeOfAStateThatIsNotThereIsStale(t *testing.T) {
	p := open(t, portFiles(), nil)
	ships := []string{"Ada", "Borealis", "Cygnus"}
	for _, name := range ships {
		p.accepted("arrive", args("name", name, "length", 50))
	}
	p.accepted("moor", args("ship", "aurora", "berth", "north"))
	explain := func(s *runtime.Service, req runtime.ExplainRequest) *runtime.ExplainResult {
		t.Helper()
		res, err := s.Explain(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	proof := explain(p.Service, runtime.ExplainRequest{Fact: "moored(aurora)"})
	if proof.Root == nil {
		t.Fatalf("%+v", proof)
	}
	q := &port{t: t, dir: p.dir, now: clockStart}
	q.Service = q.another(nil)
	node := runtime.ExplainRequest{NodeID: proof.Root.NodeID}
	same(t, "a node of another server", explain(q.Service, node).Code, "STALE_CURSOR")
	for _, name := range ships {
		q.accepted("arrive", args("name", name, "length", 50))
	}
	q.accepted("moor", args("ship", "aurora", "berth", "north"))
	same(t, "what was written since", q.rows("ships", nil), "[(Ada) (Borealis) (Cygnus) (aurora)]")
	if again := explain(q.Service, node); again.Root == nil || again.Root.Fact != proof.Root.Fact {
		t.Errorf("the node, where the state is there: %+v", again)
	}
}
