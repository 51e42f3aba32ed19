// Package overtime says what operators over time lack, and looks for facts with
// days that would make it good.
//
// The reasoner looks for facts that hold on the day of the state. Behind an
// operator over time it is days that are missing, and what would make them good
// is found here: from the operator down to the stated facts, always the days that
// are missing there, and where several facts would do those that are there on
// other days first. Each set is tried in a copy before it is told. The copy and
// the days of the facts in it are those of who asks.
package overtime
