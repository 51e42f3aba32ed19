package runtime

// QueryRequest runs a declared query, or with Body an ad-hoc one.
type QueryRequest struct {
	Name string `json:"name,omitempty"`
	Body string `json:"body,omitempty"`
	Args Args   `json:"args,omitempty"`
	Common
}

// DeriveRequest reads an extent: of a rule head, concept, relation or check.
type DeriveRequest struct {
	Name    string `json:"name"`
	Explain bool   `json:"explain,omitempty"`
	Common
}

// RowsResult is the answer of Query and Derive.
type RowsResult struct {
	Envelope
	Name       string   `json:"name,omitempty"` // qualified
	Columns    []Column `json:"columns"`
	Rows       []Row    `json:"rows"`
	Hidden     Hidden   `json:"hidden"`
	NextCursor string   `json:"nextCursor,omitempty"`
	Total      int      `json:"total"`
}

// Column is a column of a result.
type Column struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// Row is a row of a result.
type Row struct {
	Values []Cell  `json:"values"`
	Truth4 string  `json:"truth4,omitempty"`
	Within *Within `json:"within,omitempty"` // of an aggregate over rows of which some are unknown or undefined
	Proof  string  `json:"proof,omitempty"`  // with explain: rule and round, or "asserted"
}

// Hidden counts the rows that projectK3 drops, by truth value.
type Hidden struct {
	Can  int `json:"can"`
	Both int `json:"both"`
	Not  int `json:"not"`
}

// ComputeRequest evaluates a fn.
type ComputeRequest struct {
	Name string `json:"name"`
	Args Args   `json:"args,omitempty"`
	Common
}

// ComputeResult is the answer of Compute.
type ComputeResult struct {
	Envelope
	Name      string       `json:"name"`
	Value     *Cell        `json:"value,omitempty"`
	Emissions []Diagnostic `json:"emissions"`
}

// SchemaRequest looks constructs up.
type SchemaRequest struct {
	Name string `json:"name,omitempty"`
	Kind string `json:"kind,omitempty"`
	Page *Page  `json:"page,omitempty"`
}

// SchemaResult is one construct, or an index.
type SchemaResult struct {
	Envelope
	Construct  *Construct       `json:"construct,omitempty"`
	Index      []ConstructEntry `json:"index,omitempty"`
	NextCursor string           `json:"nextCursor,omitempty"`
	Total      int              `json:"total"`
}

// ConstructEntry is a line of the index.
type ConstructEntry struct {
	Name      string `json:"name"`
	Kind      string `json:"kind"`
	Signature string `json:"signature"`
}

// Construct is one declared construct.
type Construct struct {
	ConstructEntry
	Doc      string       `json:"doc,omitempty"`
	Public   bool         `json:"public"`
	Params   []Column     `json:"params,omitempty"`
	Result   string       `json:"result,omitempty"`
	Fields   []FieldEntry `json:"fields,omitempty"`
	Supers   []string     `json:"supers,omitempty"`
	Variants []string     `json:"variants,omitempty"`
	World    string       `json:"world,omitempty"`
	Defined  *Range       `json:"defined,omitempty"`
}

// FieldEntry is a field of a construct.
type FieldEntry struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Mut      bool   `json:"mut,omitempty"`
	Required bool   `json:"required,omitempty"`
	From     string `json:"from,omitempty"` // concept it is inherited from
}
