package overtime

// The first and the last day that a source can name, in days since 1970-01-01. An
// operator without an end moves it by a few days, and what begins or ends beyond
// these days is written, and tried, without.
const (
	firstDay = -719_162  // 0001-01-01
	lastDay  = 2_932_896 // 9999-12-31
)

// Begins reports whether the fact has a first day.
func (f *Change) Begins() bool { return f.When.From >= firstDay }

// Ends reports whether the fact has a last day.
func (f *Change) Ends() bool { return f.When.To <= lastDay }

// Period says when a fact holds, as one writes it behind a fact.
func (f *Change) Period() string {
	day := func(n int64) string {
		return "#" + Date(n) + "#"
	}
	begins, ends := f.Begins(), f.Ends()
	switch {
	case !f.Dated() || !begins && !ends:
		return ""
	case !ends:
		return " at " + day(f.When.From)
	case !begins:
		return " at .." + day(f.When.To-1)
	}
	return " at " + day(f.When.From) + ".." + day(f.When.To-1)
}
