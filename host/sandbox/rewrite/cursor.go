package rewrite

import "unicode/utf8"

// cursor reads the binary format. The first error stays, and every later read
// gives zero without moving.
type cursor struct {
	src []byte
	pos int
	end int
	err *Refusal
}

func (c *cursor) fail(code Code, offset int, format string, args ...any) {
	if c.err == nil {
		c.err = refuse(code, offset, format, args...)
	}
	c.pos = c.end
}

func (c *cursor) more() bool { return c.err == nil && c.pos < c.end }

func (c *cursor) byte() byte {
	if c.pos >= c.end {
		c.fail(CodeMalformed, c.pos, "the data ends too early")
		return 0
	}
	b := c.src[c.pos]
	c.pos++
	return b
}

func (c *cursor) skip(n int) {
	if n < 0 || c.end-c.pos < n {
		c.fail(CodeMalformed, c.pos, "%d bytes are needed, %d are left", n, c.end-c.pos)
		return
	}
	c.pos += n
}

func (c *cursor) u32() uint32 {
	if c.pos < c.end {
		if b := c.src[c.pos]; b < 0x80 {
			c.pos++
			return uint32(b)
		}
	}
	start := c.pos
	var v uint64
	for shift := 0; shift < 35; shift += 7 {
		b := c.byte()
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			if v>>32 != 0 {
				break
			}
			return uint32(v)
		}
	}
	c.fail(CodeMalformed, start, "an unsigned number does not fit 32 bits")
	return 0
}

// signed reads a signed LEB128 number of at most bits bits.
func (c *cursor) signed(bits int) int64 {
	start := c.pos
	var v int64
	for shift := 0; shift < bits; shift += 7 {
		b := c.byte()
		v |= int64(b&0x7f) << shift
		if b >= 0x80 {
			continue
		}
		used := shift + 7
		if used < 64 {
			v = v << (64 - used) >> (64 - used)
		}
		if used > bits {
			// The bits past the type's width must repeat its sign.
			sign := int8(b<<1) >> 1
			if rest := sign >> (bits - shift - 1); rest != 0 && rest != -1 {
				break
			}
		}
		return v
	}
	c.fail(CodeMalformed, start, "a signed number does not fit %d bits", bits)
	return 0
}

func (c *cursor) name() string {
	n := c.u32()
	start := c.pos
	c.skip(int(n))
	if c.err != nil {
		return ""
	}
	s := string(c.src[start:c.pos])
	if !utf8.ValidString(s) {
		c.fail(CodeMalformed, start, "a name is not UTF-8")
	}
	return s
}

// count reads the length of a vector whose items take at least one byte each.
func (c *cursor) count(limit int, what string) int {
	start := c.pos
	n := c.u32()
	if c.err == nil && int64(n) > int64(limit) {
		c.fail(CodeItemCount, start, "%d %s, at most %d are allowed", n, what, limit)
		return 0
	}
	if int64(n) > int64(c.end-c.pos) {
		c.fail(CodeMalformed, start, "%d %s do not fit the %d bytes that are left", n, what, c.end-c.pos)
		return 0
	}
	return int(n)
}

func appendU32(dst []byte, v uint32) []byte {
	for v >= 0x80 {
		dst = append(dst, byte(v)|0x80)
		v >>= 7
	}
	return append(dst, byte(v))
}

func appendS64(dst []byte, v int64) []byte {
	for {
		b := byte(v & 0x7f)
		v >>= 7
		if (v == 0 && b&0x40 == 0) || (v == -1 && b&0x40 != 0) {
			return append(dst, b)
		}
		dst = append(dst, b|0x80)
	}
}

func appendName(dst []byte, s string) []byte {
	dst = appendU32(dst, uint32(len(s)))
	return append(dst, s...)
}

// copier copies a stretch of src to out, with replacements on the way.
type copier struct {
	src  []byte
	from int
	out  []byte
}

// upTo copies what was not copied yet of the bytes before pos.
func (p *copier) upTo(pos int) {
	p.out = append(p.out, p.src[p.from:pos]...)
	p.from = pos
}

// index copies up to start and puts v in place of the bytes up to end.
func (p *copier) index(start, end int, v uint32) {
	p.upTo(start)
	p.out = appendU32(p.out, v)
	p.from = end
}
