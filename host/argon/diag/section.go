package diag

// Section is a stretch of a List: what one step reported of one thing.
type Section struct {
	Of         any // what the step was about, comparable
	Start, End int // in Items
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
