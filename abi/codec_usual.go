package abi

// What most parts of a program have in common is read at once: a guest pays for
// each call, and a program has millions of fields, most of which say that there is
// nothing. What is read into is zero before. Other bytes are read field by field,
// and so is everything where there is a fault to be told.

// Fields that follow one another, as they are mostly.
const (
	// of an Atom: Cmp, Slot, Expr, Pattern, Type, Fold, Over, Body
	usualOfScan = "\x00\x00\xf6\xf6\xf6\x00\x80\x80"
	// of an Expr: Arms, Fold, Type, Sub
	usualOfExpr = "\x80\x00\xf6\xf6"
	// of a Relation: Open, Asserted, Refuted, Mut
	usualOfRelation = "\xf4\x20\x20\xf4"
)

// usual consumes the bytes s if they are next, and reports whether they were.
func (c *coder) usual(s string) bool {
	r := c.r
	if r == nil || len(r.b)-r.off < len(s) || string(r.b[r.off:r.off+len(s)]) != s {
		return false
	}
	r.off += len(s)
	return true
}

// plainType reads a type that has neither a name nor arguments, if one is next.
func (c *coder) plainType(p *Type) bool {
	r := c.r
	if r == nil || len(r.b)-r.off < 4 || r.depth >= MaxDepth {
		return false
	}
	b := r.b[r.off : r.off+4]
	if b[0] != majorArray|3 || b[1] >= byte(typeOpCount) || b[2] != majorText || b[3] != majorArray {
		return false
	}
	p.Op = TypeOp(b[1])
	r.off += 4
	return true
}

// usualSpan reads a span whose numbers have four bytes at most, if one is next and
// the message does not end just behind it.
func (c *coder) usualSpan(p *Span) bool {
	r := c.r
	if r == nil {
		return false
	}
	at := r.off
	if len(r.b)-at < 16 || r.b[at] != majorArray|3 {
		return false
	}
	b := r.b[at : at+16]
	at = 1
	for i := range 3 {
		n := int(b[at])
		switch {
		case n <= tiny:
			at++
		case n == 24 && b[at+1] > tiny:
			n = int(b[at+1])
			at += 2
		case n == 25 && b[at+1] != 0:
			n = int(b[at+1])<<8 | int(b[at+2])
			at += 3
		case n == 26 && b[at+1]|b[at+2] != 0 && b[at+1] < 0x80:
			n = int(b[at+1])<<24 | int(b[at+2])<<16 | int(b[at+3])<<8 | int(b[at+4])
			at += 5
		default:
			*p = Span{}
			return false
		}
		switch i {
		case 0:
			p.File = n
		case 1:
			p.Start = n
		default:
			p.End = n
		}
	}
	r.off += at
	return true
}

// usualArg reads an argument whose index has two bytes at most, if one is next.
func (c *coder) usualArg(p *Arg) bool {
	r := c.r
	if r == nil || len(r.b)-r.off < 5 {
		return false
	}
	b := r.b[r.off : r.off+5]
	if b[0] != majorArray|2 || b[1] > byte(ArgConst) {
		return false
	}
	switch {
	case b[2] <= tiny:
		p.Index = int(b[2])
		r.off += 3
	case b[2] == 24 && b[3] > tiny:
		p.Index = int(b[3])
		r.off += 4
	case b[2] == 25 && b[3] != 0:
		p.Index = int(b[3])<<8 | int(b[4])
		r.off += 5
	default:
		return false
	}
	p.Op = ArgOp(b[1])
	return true
}
