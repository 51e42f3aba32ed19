package diag

// Section is a stretch of a List: what one step reported of one thing.
type Section struct {
	Of         any // what the step was about, comparable
	Start, End int // in Items
}

// Append adds what other holds, with its sections.
func (l *List) Append(other *List) {
	at := len(l.Items)
	l.Items = append(l.Items, other.Items...)
	for _, s := range other.Sections {
		l.Sections = append(l.Sections, Section{s.Of, s.Start + at, s.End + at})
	}
}

// Within runs do and, if the List keeps sections, notes what it reported as
// the section of what it is about. Sections do not nest.
func (l *List) Within(of any, do func()) {
	start := len(l.Items)
	do()
	if l.Keep {
		l.Sections = append(l.Sections, Section{of, start, len(l.Items)})
	}
}
