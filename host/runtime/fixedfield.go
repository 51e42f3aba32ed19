package runtime

import (
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/store"
)

// fixes reports whether a write gives a field that is not mut its one value, at
// a time of its own: the guest, which knows the state of the call alone, does
// not ask whether it has one.
func (m *module) fixes(w abi.Write) bool {
	r := &m.program.Relations[w.Relation]
	return r.Origin == abi.OriginField && !r.Mut && len(r.Key) > 0 && w.ValidFrom != nil && !w.Remove && !w.IsDefault()
}

// free fails as a require does where the field of a write has a value at the
// write's time already, or now if that is later.
func (t *times) free(w *abi.Write) error {
	m := t.future.ses.m
	k := valueKey{w.Relation, m.keyOf(w.Relation, w.Tuple)}
	from := store.MomentOf(*w.ValidFrom)
	at := []store.Moment{from}
	if from.Before(t.now) {
		at = append(at, t.now)
	}
	for _, at := range at {
		if t.future.value(k, at) != nil {
			name := m.program.Relations[w.Relation].Name
			name = name[strings.LastIndexByte(name, '.')+1:]
			return &abi.Failure{Code: abi.FailureRequire, Message: "require no value of " + name + " yet is false at " + instantText(at.Value()), Rule: -1}
		}
	}
	return nil
}
