package runtime

import (
	"bufio"
	"context"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sort"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/store"
)

// compatible compares the module to be served with the live facts. Where it
// would lose or re-type some it refuses and lists them, unless the request
// confirms to discard exactly that list; then they are dumped and purged.
func (s *Service) compatible(ctx context.Context, next *module, req BuildRequest) (out Outcome, dumped string, err error) {
	scope := store.Scope{Tenant: tenantDefault, Fork: forkMain}
	events, err := s.cfg.Log.Events(ctx, scope, 0, math.MaxInt64)
	if err != nil {
		return out, "", storeError(err)
	}
	changes := schemaChanges(s.servedModule(), next, events)
	if len(changes) == 0 {
		return out, "", nil
	}
	confirm := confirmation(changes)
	if req.OnIncompatible != "discard" {
		return Outcome{
			Code: CodeSchemaIncompatible, NeedsRebuild: true,
			SchemaIncompatible: &SchemaChanges{Changes: changes, Confirm: confirm},
			// No next step: what takes facts away is for a person to decide.
			Message: fmt.Sprintf("nothing was written: the new module would lose or re-type live facts of %s. The old module goes on serving. Change the sources back; or, where a person decides to give those facts up, build with discard, confirmed by %s (they are dumped to a file first)",
				plural(len(changes), "relation"), confirm),
		}, "", nil
	}
	if req.Confirm != confirm {
		return Outcome{
			Code: CodeConfirmationRequired, SchemaIncompatible: &SchemaChanges{Changes: changes, Confirm: confirm},
			Message: "discarding facts needs confirm to be the hash of exactly this list of changes, " + confirm,
		}, "", nil
	}
	lost := map[string]bool{}
	for _, c := range changes {
		lost[c.Relation] = true
	}
	dumped, err = s.dump(events, lost, confirm)
	if err != nil {
		return out, "", err
	}
	if err := s.cfg.Log.Purge(ctx, scope, lost); err != nil {
		return out, dumped, storeError(err)
	}
	s.annals.drop(scope)
	return out, dumped, nil
}

// schemaChanges lists what next does to the relations that events are about.
func schemaChanges(old, next *module, events []store.Event) []SchemaChange {
	counts := map[string]int{}
	arity := map[string]int{}
	gone := map[string]string{} // a standpoint that the new module does not have, by relation
	for _, e := range events {
		if _, ok := next.lattice[e.Layer]; e.Layer != "" && !ok {
			gone[e.Relation] = e.Layer
		}
		counts[e.Relation]++
		arity[e.Relation] = len(e.Tuple)
	}
	changes := []SchemaChange{}
	for _, name := range sortedKeys(counts) {
		i, ok := next.relations[name]
		if !ok {
			changes = append(changes, SchemaChange{Relation: name, Change: "removed", Facts: counts[name]})
			continue
		}
		r := &next.program.Relations[i]
		if len(r.Columns) != arity[name] {
			changes = append(changes, SchemaChange{Relation: name, Change: fmt.Sprintf("has %d columns instead of %d", len(r.Columns), arity[name]), Facts: counts[name]})
			continue
		}
		if gone[name] != "" {
			changes = append(changes, SchemaChange{Relation: name, Change: "has facts of the standpoint " + gone[name] + ", which is removed", Facts: counts[name]})
			continue
		}
		if old == nil {
			continue
		}
		if j, ok := old.relations[name]; ok {
			if change := columnChange(&old.program.Relations[j], r); change != "" {
				changes = append(changes, SchemaChange{Relation: name, Change: change, Facts: counts[name]})
			}
		}
	}
	return changes
}

func columnChange(old, next *abi.Relation) string {
	for i := range next.Columns {
		was, is := typeText(old.Columns[i].Type), typeText(next.Columns[i].Type)
		if was != is {
			return fmt.Sprintf("column %s is %s instead of %s", next.Columns[i].Name, is, was)
		}
	}
	if fmt.Sprint(old.Key) != fmt.Sprint(next.Key) {
		return "holds one value instead of several, or several instead of one"
	}
	return ""
}

func confirmation(changes []SchemaChange) string {
	var parts [][]byte
	for _, c := range changes {
		parts = append(parts, []byte(fmt.Sprint(c.Relation, "\x00", c.Change, "\x00", c.Facts)))
	}
	h := hash(parts...)
	return hex.EncodeToString(h[:16])
}

// dump writes the events of relations that are about to be purged, one JSON
// object a line, into the package's .ox folder.
func (s *Service) dump(events []store.Event, lost map[string]bool, confirm string) (path string, err error) {
	fail := func(err error) (string, error) {
		return "", &Error{Status: 500, Code: "DUMP_FAILED", Message: "nothing was discarded, because the dump could not be written: " + err.Error()}
	}
	dir := filepath.Join(s.cfg.Project.Folder(), ".ox")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fail(err)
	}
	path = filepath.Join(dir, "discarded-"+confirm+".jsonl")
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fail(err)
	}
	w := bufio.NewWriter(f)
	n := &names{m: s.servedModule()}
	for _, e := range events {
		if !lost[e.Relation] {
			continue
		}
		line := struct {
			ID        string `json:"id"`
			TT        int64  `json:"tt"`
			Remove    bool   `json:"remove"`
			Relation  string `json:"relation"`
			Tuple     []any  `json:"tuple"`
			ValidFrom string `json:"validFrom"`
			ValidTo   string `json:"validTo,omitempty"`
		}{ID: uuidText(e.ID), TT: e.TT, Remove: e.Remove, Relation: e.Relation, Tuple: []any{}, ValidFrom: instantText(e.ValidFrom.Value())}
		if e.ValidTo != nil {
			line.ValidTo = instantText(e.ValidTo.Value())
		}
		for _, v := range e.Tuple {
			line.Tuple = append(line.Tuple, jsonValue(v, abi.Type{}, n))
		}
		b, err := EncodeJSON(line)
		if err != nil {
			f.Close()
			return fail(err)
		}
		w.Write(append(b, '\n')) // an error stays with the writer until Flush
	}
	if err := w.Flush(); err != nil {
		f.Close()
		return fail(err)
	}
	if err := f.Sync(); err != nil {
		f.Close()
		return fail(err)
	}
	if err := f.Close(); err != nil {
		return fail(err)
	}
	return relative(s.cfg.Project.Folder(), path), nil
}

// codesOf lists the codes of findings, sorted, each once.
func codesOf(list []Diagnostic) []string {
	seen := map[string]bool{}
	out := []string{}
	for _, d := range list {
		if !seen[d.Code] {
			seen[d.Code] = true
			out = append(out, d.Code)
		}
	}
	sort.Strings(out)
	return out
}
