package runtime

import "encoding/json"

// ExplainRequest explains a fact: "Head(a, b)", or Head and Tuple.
type ExplainRequest struct {
	Fact        string            `json:"fact,omitempty"`
	Head        string            `json:"head,omitempty"`
	Tuple       []json.RawMessage `json:"tuple,omitempty"`
	NodeID      string            `json:"nodeId,omitempty"` // of expand
	Alternative int               `json:"alternative,omitempty"`
	MaxDepth    int               `json:"maxDepth,omitempty"`
	MaxNodes    int               `json:"maxNodes,omitempty"`
	Format      string            `json:"format,omitempty"`  // json (default), text, dot, svg
	Repairs     *int              `json:"repairs,omitempty"` // most facts of a repair to look for, 0 to 3; nil: 3
	Common
}

// ExplainResult is the answer of Explain and Expand.
type ExplainResult struct {
	Envelope
	Fact     string       `json:"fact"`
	Derived  bool         `json:"derived"`
	Truth4   string       `json:"truth4,omitempty"` // of the fact: Is, Not, Can or Both
	Root     *ProofNode   `json:"root,omitempty"`
	Folded   []FoldedNode `json:"folded"`
	WhyNot   *WhyNotNode  `json:"whyNot,omitempty"`
	Rendered string       `json:"rendered,omitempty"`
}

// ProofNode is a node of a proof as frontends show it.
type ProofNode struct {
	NodeID       string          `json:"nodeId"`
	Fact         string          `json:"fact"`
	Truth4       string          `json:"truth4"`           // Is, Not of what is absent or refuted, Can of one that has an interval
	Kind         string          `json:"kind"`             // asserted, rule, absent, aggregate, compare, refuted, folded
	Within       *Within         `json:"within,omitempty"` // of a fact that is Can: it is read for where its value lies, which is certain
	Tag          string          `json:"tag,omitempty"`    // of a derived fact, where clauses may be defeated: +Δ or +∂
	Rule         *RuleRef        `json:"rule,omitempty"`
	Bindings     map[string]Cell `json:"bindings,omitempty"`
	Children     []*ProofNode    `json:"children"`
	Alternatives int             `json:"alternatives"`
	Event        *EventRef       `json:"event,omitempty"`
	Source       *Range          `json:"source,omitempty"`
	Pending      bool            `json:"pending,omitempty"` // asserted by the write that is being judged
	Filter       bool            `json:"filter,omitempty"`  // tests the type of a head parameter; drawings leave it out
	Size         int             `json:"size,omitempty"`
}

// RuleRef names a rule.
type RuleRef struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
	Span *Range `json:"span,omitempty"`
}

// EventRef names the stored event behind a fact.
type EventRef struct {
	ID        string `json:"id"`
	TT        int64  `json:"tt"`
	ValidFrom string `json:"validFrom,omitempty"`
	ValidTo   string `json:"validTo,omitempty"`
}

// FoldedNode is a subtree that was left out.
type FoldedNode struct {
	NodeID string `json:"nodeId"`
	Fact   string `json:"fact"`
	Size   int    `json:"size"`
	Word   string `json:"-"` // with the format text, of the first few: the fact as one word of a shell, where it is read back as that fact; else ""
}

// WhyNotNode explains an absent fact.
type WhyNotNode struct {
	Fact     string    `json:"fact"`
	Truth4   string    `json:"truth4"`        // Not, or Can where it is neither true nor false
	Tag      string    `json:"tag,omitempty"` // of what does not hold, where clauses may be defeated: -Δ or -∂
	Reason   string    `json:"reason,omitempty"`
	Rules    []Attempt `json:"rules"`
	Within   *Within   `json:"within,omitempty"`   // of what has the value of an aggregate over rows that are not all known: where that lies
	Unknown  []string  `json:"unknown,omitempty"`  // some of the premises of those rows of which it is not known whether they hold
	Repairs  []Repair  `json:"repairs,omitempty"`  // of the fact that was asked for: the smallest that there are
	Searched *Searched `json:"searched,omitempty"` // of the fact that was asked for, where repairs were looked for
}

// Repair is a set of changes that would make the fact hold.
type Repair struct {
	Facts    []string `json:"facts"`             // to add
	Was      []string `json:"was,omitempty"`     // by fact: the value that it takes the place of, or ""
	Removed  []string `json:"removed,omitempty"` // to take away
	Fixed    []string `json:"fixed,omitempty"`   // what of it no update does, since the field is not mut or the days have an end, and where it is done
	Verified bool     `json:"verified"`          // it held in a copy of the state that was changed so

	// Refused are the checks that would refuse it as a write, each with its
	// message. Unchecked says that it was not held against them.
	Refused   []string `json:"refused,omitempty"`
	Unchecked bool     `json:"unchecked,omitempty"`
}

// Attempt is how far one rule gets: Reached of its Of premises hold, as they
// were written, under the best binding, and Undefined others do neither that nor
// fail. The types of head parameters are not among them.
type Attempt struct {
	Rule      RuleRef       `json:"rule"`
	Reached   int           `json:"reached"`
	Of        int           `json:"of"`
	Undefined int           `json:"undefined,omitempty"` // where the fact does not hold; where it is undefined itself, failed and also tell
	Failed    FailedAtom    `json:"failed"`
	Also      []FailedAtom  `json:"also,omitempty"` // the others that fail
	NearMiss  string        `json:"nearMiss,omitempty"`
	LeftOut   []string      `json:"leftOut,omitempty"` // what was not looked at, because of what it would cost: nearMisses, bindings
	Children  []*WhyNotNode `json:"children"`
}

// FailedAtom is the premise that does not hold.
type FailedAtom struct {
	Atom     string          `json:"atom"`
	Bindings map[string]Cell `json:"bindings"`
	Reason   string          `json:"reason"`
	Days     string          `json:"days,omitempty"` // of an operator over time: on which days what it asks for is missing; of a fact: on which others it holds
	Is       string          `json:"is,omitempty"`   // of an aggregate that should have another value: what it has, or none
	Head     bool            `json:"head,omitempty"` // it is the type of a head parameter: the rule is not for this
}

// Searched says what a search for repairs covered: sets of up to MaxSize
// changes, Complete, all of these: any other set of so few changes that makes the
// fact hold is one of the repairs, but for a value that stands for others which
// nothing names and that do the same. Where there are no repairs, none does. What
// counts as a change: a fact that can be written comes, or changes its value, or
// with Removals goes; an individual keeps its concept, but for one above or below
// it or with members in common, and leaves one only where its facts put it into
// another. The search goes on to larger sets only where
// smaller ones do not do.
type Searched struct {
	MaxSize  int    `json:"maxSize"`
	Complete bool   `json:"complete"`
	Removals bool   `json:"removals,omitempty"` // changes that take facts away were tried, too
	Tried    int    `json:"tried,omitempty"`    // how many sets were tried, where that were not all
	Stopped  string `json:"stopped,omitempty"`  // why the search could not begin, or not end: then maxSize is 0
}

// WhyRequest asks why checks fire, over the served state or over the source's
// own facts.
type WhyRequest struct {
	Check    string `json:"check,omitempty"`
	Of       string `json:"of,omitempty"` // runtime (default), source
	MaxDepth int    `json:"maxDepth,omitempty"`
	Format   string `json:"format,omitempty"` // json (default), text, dot, svg
	Common
}

// WhyResult is the answer of Why.
type WhyResult struct {
	Envelope
	Firings  []Firing `json:"firings"`
	Rendered string   `json:"rendered,omitempty"` // all firings in one drawing, where a format asks for one
}

// Firing is one violation with its trace.
type Firing struct {
	Check        string          `json:"check"`
	RuleID       int             `json:"ruleId"`
	Code         string          `json:"code"`
	Severity     string          `json:"severity"`
	Message      string          `json:"message"`
	Bindings     map[string]Cell `json:"bindings"`
	Declarations []Declaration   `json:"declarations"`
	Premises     []*ProofNode    `json:"premises"`
	Trace        *ProofNode      `json:"trace"`
	Spans        []Range         `json:"spans"`
	Rendered     string          `json:"rendered"`
}

// Declaration names a declaration that a firing involves.
type Declaration struct {
	Name string `json:"name"`
	Span *Range `json:"span,omitempty"`
}

// ChecksRequest asks for the current violations.
type ChecksRequest struct {
	Name string `json:"name,omitempty"`
	Common
}

// ChecksResult is the answer of Checks.
type ChecksResult struct {
	Envelope
	Violations []Violation `json:"violations"`
	Clean      bool        `json:"clean"`
	NextCursor string      `json:"nextCursor,omitempty"`
	Total      int         `json:"total"`
}

// Violation is one violation of a check.
type Violation struct {
	Check    string          `json:"check"`
	Severity string          `json:"severity"`
	Code     string          `json:"code"`
	Message  string          `json:"message"`
	Bindings map[string]Cell `json:"bindings"`
	Text     string          `json:"-"` // the bindings as "(a, b)"
}
