package abi

// The import by which a check evaluator reads further facts.
const (
	ImportFacts = "ox:plugin/facts@" + Version
	ImportScan  = ImportFacts + "#scan"
)

// The grants that an operator may give a plugin, by the import that each
// opens: ImportLog, ImportFacts, and for reasoner builds ImportKernel. A module
// that names an import without its grant is not admitted.
const (
	GrantLog    = "log"
	GrantFacts  = "facts"
	GrantKernel = "kernel"
)

// ScanRequest asks the host for further tuples, by ox:plugin/facts: a check
// evaluator may read the relations that its check's body names, and no others,
// in the state that the violations are of.
type ScanRequest struct {
	Relation string   // qualified, or as the source writes it where only one is meant
	Match    []*Value // parallel to the columns, nil: anything; an empty list matches every tuple
	Page     Page     // of the relation's tuples: Match is applied to the page
}

// ScanResponse is one page. A page may be empty and not be the last: Match
// leaves tuples out after the page is cut.
type ScanResponse struct {
	Columns []Column // of the relation
	Frame   Frame
	Next    []Value // After of the next page; empty: this is the last one
}

// MaxScanRows is the most tuples that the host looks at for one ScanRequest; a
// Limit of 0 or above it stands for it.
const MaxScanRows = 4096

// AppendCBOR appends the message's encoding to dst.
func (m *ScanRequest) AppendCBOR(dst []byte) []byte { return encode(dst, m, (*coder).scanRequest) }

// DecodeCBOR reads a message that is the whole of b.
func (m *ScanRequest) DecodeCBOR(b []byte) error {
	return decode(b, m, "ScanRequest", (*coder).scanRequest)
}

// AppendCBOR appends the message's encoding to dst.
func (m *ScanResponse) AppendCBOR(dst []byte) []byte { return encode(dst, m, (*coder).scanResponse) }

// DecodeCBOR reads a message that is the whole of b.
func (m *ScanResponse) DecodeCBOR(b []byte) error {
	return decode(b, m, "ScanResponse", (*coder).scanResponse)
}

func (c *coder) scanRequest(p *ScanRequest) {
	c.fields(3)
	c.string(&p.Relation)
	list(c, &p.Match, optionalValue)
	c.page(&p.Page)
}

func (c *coder) scanResponse(p *ScanResponse) {
	c.fields(3)
	list(c, &p.Columns, (*coder).column)
	c.frame(&p.Frame)
	list(c, &p.Next, (*coder).value)
}
