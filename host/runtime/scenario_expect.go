package runtime

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
)

// expected is what a step must come to. Rows and Value are compared as they
// print, or by their JSON.
type expected struct {
	Rows    []any   `toml:"rows"`
	Count   *int64  `toml:"count"`
	Value   any     `toml:"value"`
	Refused *string `toml:"refused"`
}

// misfit says what is wrong with a step by itself, or "": a name that is
// missing, and expectations that its kind can never meet or miss.
func (st *scenarioStep) misfit() string {
	if st.Path == "" && st.Name == "" {
		key := "path"
		if st.Do == "derive" {
			key = "name"
		}
		return st.Do + " needs a " + key
	}
	if st.Do == "derive" && len(st.Args) > 0 {
		return "derive takes no args: it gives the whole extent"
	}
	if st.Explain && st.Do != "derive" {
		return "explain is for derive"
	}
	if st.Do == "mutate" && (st.AsOf != nil || st.ValidAt != nil) {
		return "mutate writes now: as_of and valid_at are for query, derive and compute"
	}
	if _, err := st.point(); err != nil {
		return err.Error()
	}
	e := st.Expect
	if e == nil {
		return ""
	}
	reads := st.Do == "query" || st.Do == "derive"
	switch {
	case !reads && (e.Rows != nil || e.Count != nil):
		return st.Do + " gives no rows: expect a value, or a refusal"
	case reads && e.Value != nil:
		return st.Do + " gives rows: expect rows, or a count"
	case e.Refused != nil && (e.Rows != nil || e.Count != nil || e.Value != nil):
		return "a step that is refused gives nothing else: expect refused alone"
	case e.Refused == nil && e.Rows == nil && e.Count == nil && e.Value == nil:
		return "expect says nothing: give rows, count, value or refused"
	}
	return ""
}

// unmet says which expectation the step does not meet, or "".
func (e *expected) unmet(st *ScenarioStep) string {
	var codes []string
	var value *Cell
	switch {
	case st.Mutate != nil:
		value = st.Mutate.Value
		codes = refusalCodes(&st.Mutate.Outcome)
	case st.Rows != nil:
		codes = refusalCodes(&st.Rows.Outcome)
	case st.Compute != nil:
		value = st.Compute.Value
		codes = refusalCodes(&st.Compute.Outcome)
	}
	switch {
	case e.Refused != nil:
		if !slices.Contains(codes, *e.Refused) {
			return fmt.Sprintf("expected a refusal with %s, got %s", *e.Refused, orAccepted(codes))
		}
		return ""
	case len(codes) > 0:
		return "expected it to be accepted, it is refused with " + orAccepted(codes)
	}
	if st.Rows != nil {
		return e.unmetRows(st.Rows)
	}
	if e.Value == nil {
		return ""
	}
	if value == nil {
		return fmt.Sprintf("expected the value %v, got none", plain(e.Value))
	}
	if !meetsCell(*value, e.Value) {
		return fmt.Sprintf("expected the value %s, got %s", wantText(e.Value), value.Text)
	}
	return ""
}

// refusalCodes are the codes by which a scenario may name a refusal: those of
// the checks and guards, or else the runtime's own; the latter is taken beside
// the former, too.
func refusalCodes(o *Outcome) []string {
	if o.Code == "" {
		return nil
	}
	return append(slices.Clone(o.DiagnosticCodes), o.Code)
}

// orAccepted names a refusal by its most special codes.
func orAccepted(codes []string) string {
	switch n := len(codes); n {
	case 0:
		return "acceptance"
	case 1:
		return codes[0]
	default:
		return strings.Join(codes[:n-1], ", ")
	}
}

// unmetRows compares the rows that are expected with those that hold: an
// undefined one is not among them.
func (e *expected) unmetRows(r *RowsResult) string {
	if n := r.Total - r.Hidden.Can; e.Count != nil && int64(n) != *e.Count {
		return fmt.Sprintf("expected %d rows, got %d", *e.Count, n)
	}
	if e.Rows == nil {
		return ""
	}
	var want, got []string
	met := true
	var held []*Row
	for i := range r.Rows {
		if r.Rows[i].Truth4 != abi.Can.String() {
			held = append(held, &r.Rows[i])
			got = append(got, r.Rows[i].Text())
		}
	}
	met = len(held) == len(e.Rows)
	for i, row := range e.Rows {
		cells, ok := row.([]any)
		if !ok {
			cells = []any{row}
		}
		parts := make([]string, len(cells))
		for j, c := range cells {
			parts[j] = wantText(c)
			met = met && len(held[i].Values) == len(cells) && meetsCell(held[i].Values[j], c)
		}
		want = append(want, "("+strings.Join(parts, ",")+")")
	}
	if !met {
		return fmt.Sprintf("expected the rows %s, got %s", strings.Join(want, " "), strings.Join(got, " "))
	}
	return ""
}

// wantText is how an expectation prints: a plain value as it is, the rest as
// JSON.
func wantText(v any) string {
	switch v := plain(v).(type) {
	case map[string]any, []any:
		if b, err := EncodeJSON(v); err == nil {
			return string(b)
		}
	default:
		return fmt.Sprint(v)
	}
	return fmt.Sprint(v)
}

// meetsCell reports whether c is the value that want says, as it prints or in
// its JSON form, in which an object needs no more than the members that want
// names.
func meetsCell(c Cell, want any) bool {
	p := plain(want)
	if fmt.Sprint(p) == c.Text {
		return true
	}
	got, err1 := decoded(c.JSON)
	w, err2 := decoded(p)
	return err1 == nil && err2 == nil && meetsJSON(got, w)
}

func decoded(v any) (any, error) {
	b, err := EncodeJSON(v)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var out any
	return out, d.Decode(&out)
}

func meetsJSON(got, want any) bool {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		for key, x := range w {
			if !ok || !meetsJSON(g[key], x) {
				return false
			}
		}
		return ok
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return false
		}
		for i := range w {
			if !meetsJSON(g[i], w[i]) {
				return false
			}
		}
		return true
	}
	if individual, ok := got.(map[string]any); ok { // by its name or its id
		return want != nil && (individual["name"] == want || individual["id"] == want || len(individual) == 1 && individual["tag"] == want)
	}
	return fmt.Sprint(got) == fmt.Sprint(want)
}
