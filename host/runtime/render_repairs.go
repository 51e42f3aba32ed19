package runtime

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// drawnRepairs is how many lines of repairs a text tree has, and drawnValues how
// many values a line; the payload has all.
const (
	drawnRepairs = 3
	drawnValues  = 4
)

// repairLine is a repair, or several that differ in one value alone.
type repairLine struct {
	first  *Repair
	before string // the text around that value
	after  string
	values []string // nil: there is but one
	tried  bool     // all of them were

	unchecked bool // none of them was held against the checks
}

// drawRepairs lists what would make the fact hold, and says what was covered.
func drawRepairs(b *strings.Builder, n *WhyNotNode) {
	if n.Searched == nil {
		return
	}
	drawLine(b, "", "", searchedText(n), "")
	lines := repairLines(n.Repairs)
	for i := range lines {
		if i == drawnRepairs {
			drawLine(b, "+ ", "  ", fmt.Sprintf("and %d more; format json lists all", len(lines)-i), "")
			break
		}
		drawLine(b, lines[i].mark(), "  ", lines[i].text(), lines[i].note())
	}
}

// repairLines puts repairs that differ in one value alone together.
func repairLines(repairs []Repair) []repairLine {
	var out []repairLine
	for i := range repairs {
		r := &repairs[i]
		if n := len(out); n > 0 && out[n-1].join(r) {
			continue
		}
		out = append(out, repairLine{first: r, tried: r.Verified, unchecked: r.Unchecked})
	}
	return out
}

// join adds a repair to the line, if it differs from the others in the value
// that they differ in.
func (l *repairLine) join(r *Repair) bool {
	a, b := strings.Join(l.first.Facts, " and "), strings.Join(r.Facts, " and ")
	if l.first.Refused != nil || r.Refused != nil {
		return false
	}
	if len(l.first.Facts) != len(r.Facts) || !slices.Equal(l.first.Was, r.Was) || !slices.Equal(l.first.Removed, r.Removed) || !slices.Equal(l.first.Fixed, r.Fixed) || len(r.Facts) == 0 {
		return false
	}
	before, after, values := l.before, l.after, l.values
	if values == nil {
		var ok bool
		if before, after, ok = around(a, b); !ok {
			return false
		}
		values = []string{a[len(before) : len(a)-len(after)]}
	}
	if len(b) < len(before)+len(after) || !strings.HasPrefix(b, before) || !strings.HasSuffix(b, after) {
		return false
	}
	value := b[len(before) : len(b)-len(after)]
	if !oneValue(values[0]) || !oneValue(value) {
		return false
	}
	l.before, l.after, l.values, l.tried = before, after, append(values, value), l.tried && r.Verified
	l.unchecked = l.unchecked && r.Unchecked
	return true
}

// oneValue reports whether a text between two others is a value, and not more.
func oneValue(text string) bool {
	if strings.HasPrefix(text, "\"") {
		quoted, err := strconv.QuotedPrefix(text)
		return err == nil && quoted == text
	}
	return !strings.Contains(text, " and ") && !strings.ContainsAny(text, "(),")
}

// around returns what two texts have in common before and after a value, which
// begins and ends where values do; ok is false where they differ in more.
func around(a, b string) (before, after string, ok bool) {
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	for start > 0 && !strings.HasSuffix(a[:start], "= ") && !strings.HasSuffix(a[:start], ", ") && a[start-1] != '(' {
		start--
	}
	end := 0
	for end < len(a)-start && end < len(b)-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	for end > 0 && a[len(a)-end] != ')' && !strings.HasPrefix(a[len(a)-end:], ", ") && !strings.HasPrefix(a[len(a)-end:], " and ") && !strings.HasPrefix(a[len(a)-end:], " at ") {
		end--
	}
	if start == 0 {
		return "", "", false
	}
	one, other := a[start:len(a)-end], b[start:len(b)-end]
	if strings.Contains(one, " and ") || strings.Contains(other, " and ") || strings.Contains(one, ", ") || strings.Contains(other, ", ") {
		return "", "", false
	}
	return a[:start], a[len(a)-end:], true
}

// mark says what kind of change it is: of a value, of facts that are taken away
// alone, or of facts that are added.
func (l *repairLine) mark() string {
	switch {
	case len(l.first.Facts) == 0:
		return "- "
	case l.first.Was != nil:
		return "~ "
	}
	return "+ "
}

func (l *repairLine) text() string {
	text := strings.Join(l.first.Facts, " and ")
	if l.values != nil {
		shown := l.values
		if len(shown) > drawnValues {
			shown = append(slices.Clone(shown[:drawnValues-1]), fmt.Sprintf("one of %d others", len(l.values)-drawnValues+1))
		}
		between := ", "
		if strings.HasSuffix(l.after, ")") {
			between = " or " // a comma would begin the next term of the fact
		}
		text = l.before + strings.Join(shown[:len(shown)-1], between) + " or " + shown[len(shown)-1] + l.after
	}
	removed, _ := l.removed()
	if len(l.first.Facts) > 0 && len(removed) > 0 {
		text += " without "
	}
	return text + strings.Join(removed, " and ")
}

// removed is what is taken away, apart from what a fact that is added denies.
func (l *repairLine) removed() (others, denied []string) {
	for _, f := range l.first.Removed {
		if slices.Contains(l.first.Facts, "not "+f) {
			denied = append(denied, f)
		} else {
			others = append(others, f)
		}
	}
	return others, denied
}

func (l *repairLine) note() string {
	var notes []string
	for i, was := range l.first.Was {
		switch {
		case was == "":
		case len(l.first.Facts) > 1:
			notes = append(notes, shortFact(l.first.Facts[i])+" was "+was)
		default:
			notes = append(notes, "was "+was)
		}
	}
	if _, denied := l.removed(); denied != nil {
		notes = append(notes, "in the place of "+strings.Join(denied, " and "))
	}
	for _, text := range l.first.Fixed {
		if !slices.Contains(notes, text) {
			notes = append(notes, text)
		}
	}
	switch {
	case !l.tried:
		notes = append(notes, "not tried")
	case len(l.first.Facts) == 0:
		notes = append(notes, "tried: it holds without")
	default:
		notes = append(notes, "tried: it holds then")
	}
	switch {
	case len(l.first.Refused) > 0:
		notes = append(notes, "a write is refused, "+l.first.Refused[0])
	case l.tried && l.unchecked:
		notes = append(notes, "the checks were not tried")
	}
	return strings.Join(notes, "; ")
}

// shortFact is what a field's fact is about: "jar.cracks" of "jar.cracks = 0".
func shortFact(fact string) string {
	name, _, _ := strings.Cut(fact, " = ")
	return name
}

func repairText(l *repairLine) string { return l.mark() + l.text() }

// searchedText says what the search for repairs covered, in a sentence.
func searchedText(n *WhyNotNode) string {
	s := n.Searched
	switch {
	case len(n.Repairs) > 0 && s.Complete && s.MaxSize == 1:
		return "It would hold with one change:"
	case len(n.Repairs) > 0 && s.Complete:
		return fmt.Sprintf("It would hold with %d changes; no fewer do:", s.MaxSize)
	case len(n.Repairs) > 0:
		return fmt.Sprintf("It would hold with %s; there may be other ways:", counted(len(n.Repairs[0].Facts)+len(n.Repairs[0].Removed)))
	case s.Complete:
		return fmt.Sprintf("No set of %s makes it hold.", upTo(s.MaxSize))
	case s.MaxSize == 0 && s.Stopped != "":
		return "What would make it hold was not found: the search was stopped, as " + s.Stopped + "."
	case s.MaxSize == 0:
		return "What would make it hold was not found: the search passed a limit."
	}
	if s.Tried > 1 {
		return fmt.Sprintf("What would make it hold was not found; of the sets of %s, %d were tried and others not.", upTo(s.MaxSize), s.Tried)
	}
	return fmt.Sprintf("What would make it hold was not found; not all sets of %s were tried.", upTo(s.MaxSize))
}

func counted(n int) string {
	if n == 1 {
		return "one change"
	}
	return fmt.Sprintf("%d changes", n)
}

func upTo(n int) string {
	if n == 1 {
		return "one change"
	}
	return fmt.Sprintf("up to %d changes", n)
}
