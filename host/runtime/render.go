package runtime

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ox-mcp/ox-mcp/abi"
)

// RenderText draws an explanation with box characters.
func RenderText(r *ExplainResult) string {
	if r.Root != nil {
		return renderTree(r.Root)
	}
	if r.WhyNot != nil {
		return renderWhyNot(r.WhyNot)
	}
	return ""
}

func renderTree(n *ProofNode) string {
	d := &drawing{}
	d.proof(n, "", "")
	for i := 0; i < len(d.later); i++ {
		if p, ok := d.later[i].(*ProofNode); ok {
			d.proof(p, d.heading(i), "")
		}
	}
	return d.String()
}

// drawing is a tree as it is drawn. What stands too deep for the columns of a
// terminal comes later, under a number, from the left margin again.
type drawing struct {
	strings.Builder
	later []any // *ProofNode or *WhyNotNode
}

// deepest is how far to the right a node may stand that has others below it.
const deepest = 40

// put notes something for later, and returns the mark for its place.
func (d *drawing) put(n any) string {
	d.later = append(d.later, n)
	return fmt.Sprintf("below, at [%d]", len(d.later))
}

// heading begins what was put off.
func (d *drawing) heading(i int) string {
	d.WriteByte('\n')
	return fmt.Sprintf("[%d] ", i+1)
}

func (d *drawing) proof(n *ProofNode, first, rest string) {
	children := n.drawn()
	note := proofNote(n)
	if len(children) > 0 && utf8.RuneCountInString(rest) > deepest {
		children = nil
		note = strings.TrimPrefix(note+"; "+d.put(n), "; ")
	}
	drawLine(&d.Builder, first, rest+trunk(len(children) > 0), n.Fact, note)
	for i, c := range children {
		if i == len(children)-1 {
			d.proof(c, rest+"└─ ", rest+"   ")
		} else {
			d.proof(c, rest+"├─ ", rest+"│  ")
		}
	}
}

// drawn is the children that a drawing shows: the types of a head's parameters
// only where nothing else is asked.
func (n *ProofNode) drawn() []*ProofNode {
	var out []*ProofNode
	for _, c := range n.Children {
		if !c.Filter || len(n.Children) == 1 {
			out = append(out, c)
		}
	}
	return out
}

// ruleName is how a rule is named in a proof. The number behind a # tells rules
// that the compiler made apart, and says nothing to a reader: the place does.
func ruleName(qualified string) string {
	name, _, _ := strings.Cut(shortName(qualified), "#")
	return name
}

// trunk is what goes down from a node to its children.
func trunk(more bool) string {
	if more {
		return "│  "
	}
	return "   "
}

// proofNote says where a node's fact comes from; "" if there is nothing to say.
func proofNote(n *ProofNode) string {
	var notes []string
	switch n.Kind {
	case "asserted":
		switch {
		case n.Pending:
			notes = append(notes, "by this write")
		case n.Event != nil:
			notes = append(notes, fmt.Sprintf("written at tt %d", n.Event.TT))
		case n.Source != nil:
			notes = append(notes, place(n.Source))
		default:
			notes = append(notes, "asserted")
		}
	case "rule":
		if n.Rule != nil {
			notes = append(notes, drawnTag(n.Tag+" ")+"by "+ruleName(n.Rule.Name)+" "+place(n.Rule.Span))
		}
	case "absent":
		if strings.HasPrefix(n.Fact, "not "+defeatedWord) {
			notes = append(notes, "nothing defeats it")
		} else {
			notes = append(notes, "nothing says so")
		}
	case "refuted":
		notes = append(notes, "refuted, where its world is open")
	case "folded":
		notes = append(notes, fmt.Sprintf("folded, %d or more nodes", n.Size))
	}
	if n.Within != nil {
		notes = append(notes, n.Within.Text())
	}
	switch {
	case n.Alternatives == 1:
		notes = append(notes, "1 other proof")
	case n.Alternatives > 1:
		notes = append(notes, fmt.Sprintf("%d other proofs", n.Alternatives))
	}
	return strings.Join(notes, "; ")
}

// drawnTag is a tag where it says that defeat has a part in it, and else nothing:
// most nodes are definite.
func drawnTag(tag string) string {
	if strings.Contains(tag, "∂") {
		return tag
	}
	return ""
}

func place(r *Range) string {
	if r == nil {
		return ""
	}
	return fmt.Sprintf("%s:%d", r.File, r.Start.Line)
}

func renderWhyNot(n *WhyNotNode) string {
	d := &drawing{}
	d.whyNot(n, "", "")
	for i := 0; i < len(d.later); i++ {
		if w, ok := d.later[i].(*WhyNotNode); ok {
			d.whyNot(w, d.heading(i), "")
		}
	}
	if len(d.later) > 0 {
		d.WriteByte('\n')
	}
	drawRepairs(&d.Builder, n)
	return d.String()
}

func (d *drawing) whyNot(n *WhyNotNode, first, rest string) {
	rules, note := n.Rules, whyNotNote(n)
	unknown := n.unknownText(false)
	if len(rules) > 0 && utf8.RuneCountInString(rest) > deepest {
		rules = nil
		note = strings.TrimPrefix(note+"; "+d.put(n), "; ")
	}
	drawLine(&d.Builder, first, rest+trunk(len(rules)+len(unknown) > 0), whyNotHead(n), note)
	for i, text := range unknown {
		branch := "├─ "
		if i == len(unknown)-1 && len(rules) == 0 {
			branch = "└─ "
		}
		drawLine(&d.Builder, rest+branch, rest+"   ", text, "")
	}
	for i := range rules {
		a := &rules[i]
		branch, down := "├─ ", "│  "
		if i == len(rules)-1 {
			branch, down = "└─ ", "   "
		}
		drawLine(&d.Builder, rest+branch, rest+down+"│  ", attemptText(a), "")
		d.failed(a, rest+down, len(a.Children) == 0)
	}
}

func (d *drawing) failed(a *Attempt, rest string, last bool) {
	b := &d.Builder
	near, note := nearText(a)
	last = last && near == ""
	branch := "├─ "
	for i := range a.Also {
		drawLine(b, rest+branch, rest+trunk(true), missingText(&a.Also[i]), reasonOf(&a.Also[i]))
	}
	if last {
		branch = "└─ "
	}
	drawLine(b, rest+branch, rest+trunk(!last), missingText(&a.Failed), reasonOf(&a.Failed))
	if near != "" {
		branch = "├─ "
		if len(a.Children) == 0 {
			branch = "└─ "
		}
		drawLine(b, rest+branch, rest+trunk(len(a.Children) > 0), near, note)
	}
	for i, c := range a.Children {
		if i == len(a.Children)-1 {
			d.whyNot(c, rest+"└─ ", rest+"   ")
		} else {
			d.whyNot(c, rest+"├─ ", rest+"│  ")
		}
	}
}

// whyNotHead is the line of a fact that does not hold, or of which that is not
// known.
func whyNotHead(n *WhyNotNode) string {
	if n.Truth4 == abi.Can.String() {
		return "? " + n.Fact
	}
	return "✗ " + n.Fact
}

func whyNotNote(n *WhyNotNode) string {
	if n.Reason == "" && n.Truth4 == abi.Can.String() {
		return "neither true nor false"
	}
	if n.Reason == "" {
		return drawnTag(n.Tag)
	}
	return n.Reason
}

// unknownText are the lines of the premises of which nothing is known, and in a
// graph of the interval before them.
func (n *WhyNotNode) unknownText(graph bool) []string {
	var out []string
	if graph && n.Within != nil {
		out = append(out, "‹"+whyNotNote(n)+"›")
	}
	for _, u := range n.Unknown {
		out = append(out, "unknown: "+u)
	}
	return out
}

func attemptText(a *Attempt) string {
	text := "rule " + ruleName(a.Rule.Name) + " " + place(a.Rule.Span) + ": "
	switch {
	case a.Of == 0:
		return text + "it has no premises"
	case a.Of == 1 && a.Failed.Reason == "undefined":
		return text + "its premise is undefined"
	case a.Of == 1 && a.Reached == 1:
		return text + "its premise holds"
	case a.Of == 1:
		return text + "its premise does not hold"
	}
	text += fmt.Sprintf("%d of %d premises hold", a.Reached, a.Of)
	switch {
	case a.Undefined == 1:
		text += ", 1 is undefined"
	case a.Undefined > 1:
		text += fmt.Sprintf(", %d are undefined", a.Undefined)
	}
	if slices.Contains(a.LeftOut, leftBindings) {
		text += "; not all bindings were looked at"
	}
	return text
}

// nearText is the line of the fact that is nearest to the one that is missing, and
// its note; "" where there is nothing to say.
func nearText(a *Attempt) (text, note string) {
	all := !slices.Contains(a.LeftOut, leftNear)
	switch {
	case a.NearMiss == "" && all:
		return "", ""
	case a.NearMiss == "":
		return "nearest: none found", "not all were looked at"
	case !all:
		note = "not all were looked at"
	}
	return "nearest: " + a.NearMiss, note
}

func missingText(f *FailedAtom) string { return "missing: " + f.Atom }

// reasonOf says in words why a premise does not hold.
func reasonOf(f *FailedAtom) string {
	if f.Head {
		return "what the head asks for"
	}
	if f.Days != "" {
		return f.Days
	}
	switch f.Is {
	case "":
		return reasonText[f.Reason]
	case noValue:
		return "it has no value"
	}
	return "it is " + f.Is
}

var reasonText = map[string]string{
	"no_match":         "no such fact",
	"refuted":          "it is refuted",
	"comparison_false": "it is false",
	"blocked_by":       "what must be absent is there",
	"undefined":        "it is undefined",
}
