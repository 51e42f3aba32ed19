package runtime

// EpistemicsRequest asks what can be known of the module, or of one construct.
type EpistemicsRequest struct {
	Construct string `json:"construct,omitempty"`
}

// EpistemicsResult is the answer of Epistemics. Without a construct it lists
// what is not closed; with one, just that, whatever it is.
type EpistemicsResult struct {
	Envelope
	Tiers       TierSummary       `json:"tiers"`
	Worlds      []WorldEntry      `json:"worlds"`
	Closed      int               `json:"closed"` // concepts, relations and derived predicates that are closed
	Standpoints []StandpointEntry `json:"standpoints"`
	Strata      int               `json:"strata"`     // negation and folds are over lower ones
	Components  []ComponentEntry  `json:"components"` // the recursive ones; with a construct, the one that it is in, whatever it is
}

// ComponentEntry is a set of predicates that depend on one another. It is
// evaluated as a whole, after those that it reads.
type ComponentEntry struct {
	Predicates []string `json:"predicates"` // qualified
	Kind       string   `json:"kind"`       // plain: not recursive; recursive; well-founded: through negation; best: through min or max
	Stratum    int      `json:"stratum"`
	Rules      int      `json:"rules"`
}

// TierSummary says on which rungs of the two ladders the module's rules, or
// those of one construct, stand.
type TierSummary struct {
	Highest  string         `json:"highest"`
	Temporal string         `json:"temporal"`
	Rules    map[string]int `json:"rules"` // by rung of the main ladder
}

// WorldEntry says what an absent tuple of a construct means.
type WorldEntry struct {
	Name   string   `json:"name"` // qualified
	Kind   string   `json:"kind"`
	World  string   `json:"world"`            // open or closed
	Reason string   `json:"reason"`           // in words
	Path   []string `json:"path,omitempty"`   // how it comes to depend on what is open: from the construct to that, names
	Tier   string   `json:"tier,omitempty"`   // highest of its rules
	Across []string `json:"across,omitempty"` // standpoints of a federated query
}

// StandpointEntry is a node of the standpoint lattice.
type StandpointEntry struct {
	Name    string   `json:"name"` // qualified
	Parents []string `json:"parents"`
	Facts   int      `json:"facts"`          // that it declares itself
	Sees    []string `json:"sees,omitempty"` // where it was asked for: the standpoints whose facts its view has, beside those outside of standpoints
}
