package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
)

// A fact as it is printed is no text of the language: individuals stand in it
// by names such as github.com/a/b or Advisory#2a7ec7, a field as `x.name = "v"`,
// and a line of a drawing has its branches before and its note behind.

// undrawn is what a line of a drawing says, without what is drawn around it.
func undrawn(text string) string {
	text = strings.TrimLeft(strings.TrimSpace(text), "├└─│✗?+-~ ")
	if note := strings.LastIndex(text, " ‹"); note > 0 && strings.HasSuffix(text, "›") {
		text = text[:note]
	}
	for _, word := range []string{"missing: ", "nearest: ", "unknown: ", "not "} {
		text = strings.TrimPrefix(text, word)
	}
	return strings.TrimSpace(text)
}

// shownFact reads a fact as it is printed. ok is false where the text has no
// form that facts are printed in; the error says what is wrong with one that
// has.
func (ses *session) shownFact(ctx context.Context, text string) (rel int, tuple []abi.Value, ok bool, err error) {
	if head, inside, ok := call(text); ok {
		return ses.shownCall(ctx, head, inside)
	}
	if left, right, ok := cutOutside(text, " = "); ok {
		if dot := strings.LastIndex(left, "."); dot > 0 {
			return ses.shownField(ctx, left[:dot], left[dot+1:], right)
		}
		return 0, nil, false, nil
	}
	if who, concept, ok := cutOutside(text, ": "); ok {
		if _, err := ses.m.derivable(strings.TrimSpace(concept)); err != nil {
			return 0, nil, true, inWords(err, concept)
		}
		return ses.shownCall(ctx, strings.TrimSpace(concept), []string{who})
	}
	return 0, nil, false, nil
}

func (ses *session) shownCall(ctx context.Context, head string, inside []string) (int, []abi.Value, bool, error) {
	rel, err := ses.m.derivable(head)
	if err != nil {
		return 0, nil, false, nil
	}
	columns := ses.m.program.Relations[rel].Columns
	if len(inside) != len(columns) {
		columns = ses.m.shownColumns(rel)
	}
	if len(inside) != len(columns) {
		has := plural(len(ses.m.program.Relations[rel].Columns), "argument")
		if len(columns) < len(ses.m.program.Relations[rel].Columns) {
			has += fmt.Sprintf(" (%d as it is printed)", len(columns))
		}
		return 0, nil, true, fmt.Errorf("%d, and %s has %s", len(inside), head, has)
	}
	tuple := make([]abi.Value, len(inside))
	for i, text := range inside {
		if tuple[i], err = ses.shownValue(ctx, text, columns[i].Type); err != nil {
			return 0, nil, true, err
		}
	}
	return rel, tuple, true, nil
}

// shownField reads what stands around the dot and the sign of a field's fact.
// Where several concepts have such a field, the first counts of which somebody
// says that it has the individual.
func (ses *session) shownField(ctx context.Context, who, field, value string) (int, []abi.Value, bool, error) {
	var fields []int
	var all []string
	for i, r := range ses.m.program.Relations {
		name := r.Name[strings.LastIndex(r.Name, ".")+1:]
		if r.Origin != abi.OriginField || len(r.Columns) != 2 || strings.ContainsAny(name, "+-/") {
			continue
		}
		all = append(all, name)
		if name == field {
			fields = append(fields, i)
		}
	}
	if len(fields) == 0 {
		why := "no concept has a field " + field
		if near := Nearest(field, all); near != "" {
			why += "; did you mean " + near + "?"
		}
		return 0, nil, true, errors.New(why)
	}
	subject, err := ses.shownValue(ctx, who, ses.m.program.Relations[fields[0]].Columns[0].Type)
	if err != nil {
		return 0, nil, true, err
	}
	var wrong error
	for _, f := range ses.ofIndividual(ctx, fields, subject) {
		v, err := ses.shownValue(ctx, value, ses.m.program.Relations[f].Columns[1].Type)
		if err == nil {
			return f, []abi.Value{subject, v}, true, nil
		}
		wrong = err
	}
	return 0, nil, true, wrong
}

// ofIndividual returns the fields, those first that belong to a concept which a
// fact puts the individual in.
func (ses *session) ofIndividual(ctx context.Context, fields []int, who abi.Value) []int {
	if len(fields) == 1 {
		return fields
	}
	in := map[string]bool{}
	put := func(relation string, tuple []abi.Value) {
		if concept, ok := strings.CutSuffix(relation, "+"); ok && len(tuple) == 1 && abi.Equal(tuple[0], who) {
			in[concept] = true
		}
	}
	for _, f := range ses.m.stated() {
		name := ses.m.program.Relations[f.Relation].Name
		for row := range f.Frame.Rows {
			put(name, f.Frame.Row(nil, row))
		}
	}
	events, _ := ses.history(ctx) // without it the order is that of the source
	for _, e := range events {
		put(e.Relation, e.Tuple)
	}
	var own, others []int
	for _, f := range fields {
		name := ses.m.program.Relations[f].Name
		of := name[:strings.LastIndex(name, ".")]
		if slices.ContainsFunc(sortedKeys(in), func(c string) bool { return ses.m.below(c, of) }) {
			own = append(own, f)
		} else {
			others = append(others, f)
		}
	}
	return append(own, others...)
}

// shownValue reads a value as it is printed, in a place of type t.
func (ses *session) shownValue(ctx context.Context, text string, t abi.Type) (abi.Value, error) {
	v, err := shownJSON(strings.TrimSpace(text), 0)
	if err != nil {
		return abi.Value{}, err
	}
	if name, ok := v.(string); ok && !strings.HasPrefix(text, `"`) {
		if name == "_" {
			return abi.Value{}, fmt.Errorf("_, which stands for any value; give the one that you ask about")
		}
		if _, plain := parseNumber(name); plain && optional(t).Op == abi.TypeTop {
			v = json.Number(name)
		} else if x, ok := ses.calledSo(ctx, name, optional(t)); ok {
			return x, nil
		}
	}
	out, err := valueOf(v, t, "", ses.m, 0)
	if err != nil {
		return abi.Value{}, inWords(err, text)
	}
	if out.Kind == abi.KindNamed {
		out = ses.individualNamed(ctx, out)
	}
	return out, nil
}

// inWords is the error of an argument in a sentence about the text that it is.
func inWords(err error, text string) error {
	var invalid *InvalidArguments
	if !errors.As(err, &invalid) || len(invalid.Problems) == 0 {
		return err
	}
	p := invalid.Problems[0]
	why := text + " where " + p.Expected + " should stand"
	if p.Nearest != "" {
		why += "; did you mean " + p.Nearest + "?"
	}
	return errors.New(why)
}

// calledSo is the individual made at run time that is printed as Concept# and
// the end of its id.
func (ses *session) calledSo(ctx context.Context, text string, t abi.Type) (abi.Value, bool) {
	concept, end, ok := strings.Cut(text, "#")
	if !ok || len(end) != 6 || t.Op != abi.TypeConcept && t.Op != abi.TypeTop {
		return abi.Value{}, false
	}
	found := ses.names(ctx).past.ending(concept, end, ses.point.tt)
	if len(found) != 1 {
		return abi.Value{}, false
	}
	return abi.MintedValue(found[0]), true
}

// shownJSON is a printed value in the form in which arguments are given.
func shownJSON(text string, depth int) (any, error) {
	if depth > maxValueDepth {
		return nil, fmt.Errorf("a value of more than %d levels", maxValueDepth)
	}
	if strings.HasPrefix(text, `"`) {
		var s string
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			return nil, fmt.Errorf("%s, which is no text in quotes", text)
		}
		return s, nil
	}
	list := func(inside string) (any, error) {
		out := []any{}
		for _, part := range partsOf(inside) {
			v, err := shownJSON(part, depth+1)
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		}
		return out, nil
	}
	switch {
	case text == "none":
		return nil, nil
	case len(text) > 1 && (text[0] == '[' && text[len(text)-1] == ']' || text[0] == '{' && text[len(text)-1] == '}'):
		return list(text[1 : len(text)-1])
	}
	if tag, inside, ok := call(text); ok {
		args, err := list(strings.Join(inside, ", "))
		return map[string]any{"tag": tag, "args": args}, err
	}
	return text, nil
}

// call takes "Head(a, b)" apart.
func call(text string) (head string, inside []string, ok bool) {
	open := strings.IndexByte(text, '(')
	if open <= 0 || !strings.HasSuffix(text, ")") || strings.ContainsAny(text[:open], " \"=") {
		return "", nil, false
	}
	return text[:open], partsOf(text[open+1 : len(text)-1]), true
}

// wordedFolds is how many of the nodes that a proof folds get their word.
const wordedFolds = 5

// words gives folded nodes their facts as words.
func (p *prover) words(ctx context.Context) {
	for i := range p.folded[:min(len(p.folded), wordedFolds)] {
		p.folded[i].Word = p.word(ctx, p.foldedFrom[i], p.folded[i].Fact)
	}
}

// word is the fact of a node as one word of a shell, if it is read back as that
// fact; else "".
func (p *prover) word(ctx context.Context, n *abi.ProofNode, fact string) string {
	if n.Relation < 0 || slices.Contains(n.Tuple, nil) {
		return ""
	}
	rel, tuple, ok, err := p.ses.shownFact(ctx, fact)
	if !ok || err != nil || rel != p.m.public(n.Relation) {
		return ""
	}
	for i, v := range tuple {
		if i >= len(n.Tuple) || !abi.Equal(v, *n.Tuple[i]) {
			return ""
		}
	}
	return ShellWord(fact)
}

// partsOf splits at the commas that stand in no brackets and no quotes.
func partsOf(text string) []string {
	var out []string
	for {
		part, rest, more := cutOutside(text, ",")
		if part = strings.TrimSpace(part); part != "" || more {
			out = append(out, part)
		}
		if !more {
			return out
		}
		text = rest
	}
}

// cutOutside is strings.Cut for a separator that stands in no brackets and no
// quotes.
func cutOutside(text, sep string) (before, after string, found bool) {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
		case depth == 0 && strings.HasPrefix(text[i:], sep):
			return text[:i], text[i+len(sep):], true
		}
	}
	return text, "", false
}
