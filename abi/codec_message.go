package abi

// AppendCBOR appends the message's encoding to dst.
func (m *Description) AppendCBOR(dst []byte) []byte { return encode(dst, m, (*coder).description) }

// DecodeCBOR reads a message that is the whole of b.
func (m *Description) DecodeCBOR(b []byte) error {
	return decode(b, m, "Description", (*coder).description)
}

// AppendCBOR appends the message's encoding to dst.
func (m *Failure) AppendCBOR(dst []byte) []byte { return encode(dst, m, (*coder).failure) }

// DecodeCBOR reads a message that is the whole of b.
func (m *Failure) DecodeCBOR(b []byte) error { return decode(b, m, "Failure", (*coder).failure) }

// AppendCBOR appends the message's encoding to dst.
func (m *LoadRequest) AppendCBOR(dst []byte) []byte { return encode(dst, m, (*coder).loadRequest) }

// DecodeCBOR reads a message that is the whole of b.
func (m *LoadRequest) DecodeCBOR(b []byte) error {
	return decode(b, m, "LoadRequest", (*coder).loadRequest)
}

// AppendCBOR appends the message's encoding to dst.
func (m *LoadResponse) AppendCBOR(dst []byte) []byte { return encode(dst, m, (*coder).loadResponse) }

// DecodeCBOR reads a message that is the whole of b.
func (m *LoadResponse) DecodeCBOR(b []byte) error {
	return decode(b, m, "LoadResponse", (*coder).loadResponse)
}

// AppendCBOR appends the message's encoding to dst.
func (m *AssertRequest) AppendCBOR(dst []byte) []byte { return encode(dst, m, (*coder).assertRequest) }

// DecodeCBOR reads a message that is the whole of b.
func (m *AssertRequest) DecodeCBOR(b []byte) error {
	return decode(b, m, "AssertRequest", (*coder).assertRequest)
}

// AppendCBOR appends the message's encoding to dst.
func (m *AssertResponse) AppendCBOR(dst []byte) []byte {
	return encode(dst, m, (*coder).assertResponse)
}

// DecodeCBOR reads a message that is the whole of b.
func (m *AssertResponse) DecodeCBOR(b []byte) error {
	return decode(b, m, "AssertResponse", (*coder).assertResponse)
}

// AppendCBOR appends the message's encoding to dst.
func (m *QueryRequest) AppendCBOR(dst []byte) []byte { return encode(dst, m, (*coder).queryRequest) }

// DecodeCBOR reads a message that is the whole of b.
func (m *QueryRequest) DecodeCBOR(b []byte) error {
	return decode(b, m, "QueryRequest", (*coder).queryRequest)
}

// AppendCBOR appends the message's encoding to dst.
func (m *Rows) AppendCBOR(dst []byte) []byte { return encode(dst, m, (*coder).rows) }

// DecodeCBOR reads a message that is the whole of b.
func (m *Rows) DecodeCBOR(b []byte) error { return decode(b, m, "Rows", (*coder).rows) }

// AppendCBOR appends the message's encoding to dst.
func (m *DeriveRequest) AppendCBOR(dst []byte) []byte { return encode(dst, m, (*coder).deriveRequest) }

// DecodeCBOR reads a message that is the whole of b.
func (m *DeriveRequest) DecodeCBOR(b []byte) error {
	return decode(b, m, "DeriveRequest", (*coder).deriveRequest)
}

// AppendCBOR appends the message's encoding to dst.
func (m *ExplainRequest) AppendCBOR(dst []byte) []byte {
	return encode(dst, m, (*coder).explainRequest)
}

// DecodeCBOR reads a message that is the whole of b.
func (m *ExplainRequest) DecodeCBOR(b []byte) error {
	return decode(b, m, "ExplainRequest", (*coder).explainRequest)
}

// AppendCBOR appends the message's encoding to dst.
func (m *Explanation) AppendCBOR(dst []byte) []byte { return encode(dst, m, (*coder).explanation) }

// DecodeCBOR reads a message that is the whole of b.
func (m *Explanation) DecodeCBOR(b []byte) error {
	return decode(b, m, "Explanation", (*coder).explanation)
}

// AppendCBOR appends the message's encoding to dst.
func (m *ComputeRequest) AppendCBOR(dst []byte) []byte {
	return encode(dst, m, (*coder).computeRequest)
}

// DecodeCBOR reads a message that is the whole of b.
func (m *ComputeRequest) DecodeCBOR(b []byte) error {
	return decode(b, m, "ComputeRequest", (*coder).computeRequest)
}

// AppendCBOR appends the message's encoding to dst.
func (m *ComputeResponse) AppendCBOR(dst []byte) []byte {
	return encode(dst, m, (*coder).computeResponse)
}

// DecodeCBOR reads a message that is the whole of b.
func (m *ComputeResponse) DecodeCBOR(b []byte) error {
	return decode(b, m, "ComputeResponse", (*coder).computeResponse)
}

// AppendCBOR appends the message's encoding to dst.
func (m *MutateRequest) AppendCBOR(dst []byte) []byte { return encode(dst, m, (*coder).mutateRequest) }

// DecodeCBOR reads a message that is the whole of b.
func (m *MutateRequest) DecodeCBOR(b []byte) error {
	return decode(b, m, "MutateRequest", (*coder).mutateRequest)
}

// AppendCBOR appends the message's encoding to dst.
func (m *MutateResponse) AppendCBOR(dst []byte) []byte {
	return encode(dst, m, (*coder).mutateResponse)
}

// DecodeCBOR reads a message that is the whole of b.
func (m *MutateResponse) DecodeCBOR(b []byte) error {
	return decode(b, m, "MutateResponse", (*coder).mutateResponse)
}

// AppendCBOR appends the message's encoding to dst.
func (m *ChecksRequest) AppendCBOR(dst []byte) []byte { return encode(dst, m, (*coder).checksRequest) }

// DecodeCBOR reads a message that is the whole of b.
func (m *ChecksRequest) DecodeCBOR(b []byte) error {
	return decode(b, m, "ChecksRequest", (*coder).checksRequest)
}

// AppendCBOR appends the message's encoding to dst.
func (m *ChecksResponse) AppendCBOR(dst []byte) []byte {
	return encode(dst, m, (*coder).checksResponse)
}

// DecodeCBOR reads a message that is the whole of b.
func (m *ChecksResponse) DecodeCBOR(b []byte) error {
	return decode(b, m, "ChecksResponse", (*coder).checksResponse)
}

// AppendCBOR appends the message's encoding to dst.
func (m *Stats) AppendCBOR(dst []byte) []byte { return encode(dst, m, (*coder).stats) }

// DecodeCBOR reads a message that is the whole of b.
func (m *Stats) DecodeCBOR(b []byte) error { return decode(b, m, "Stats", (*coder).stats) }

// AppendCBOR appends the message's encoding to dst.
func (m *EvaluateRequest) AppendCBOR(dst []byte) []byte {
	return encode(dst, m, (*coder).evaluateRequest)
}

// DecodeCBOR reads a message that is the whole of b.
func (m *EvaluateRequest) DecodeCBOR(b []byte) error {
	return decode(b, m, "EvaluateRequest", (*coder).evaluateRequest)
}

// AppendCBOR appends the message's encoding to dst.
func (m *EvaluateResponse) AppendCBOR(dst []byte) []byte {
	return encode(dst, m, (*coder).evaluateResponse)
}

// DecodeCBOR reads a message that is the whole of b.
func (m *EvaluateResponse) DecodeCBOR(b []byte) error {
	return decode(b, m, "EvaluateResponse", (*coder).evaluateResponse)
}

// PeekCall reads the Call that every request of a reasoner and of a check
// evaluator begins with. What follows it in b is not looked at.
func PeekCall(b []byte) (Call, error) {
	c := coder{r: NewReader(b)}
	c.r.Array()
	var p Call
	c.call(&p)
	if err := c.r.Err(); err != nil {
		err.(*DecodeError).Type = "Call"
		return Call{}, err
	}
	return p, nil
}
