package rewrite

import (
	"cmp"
	"slices"
)

// joinGap is how many bytes may lie between two data segments that become one.
// Go's linker leaves out each stretch of eight zeros or more, which gives a
// guest of 4 MB some 60,000 segments of 26 bytes: the runtime reads and keeps
// each by itself, and writes them one by one into each new instance.
const joinGap = 64

// Segment is a stretch of a new memory: an active data segment whose place is a
// constant.
type Segment struct {
	Offset uint32
	Bytes  []byte
}

func (s Segment) end() uint64 { return uint64(s.Offset) + uint64(len(s.Bytes)) }

// dataSection joins segments that lie close to each other, with the zeros that
// a new memory has between them. A module that announces its segments may name
// them in its code, so it keeps them as they are.
func (r *rewriter) dataSection() {
	n := r.count(r.opts.Limits.Items, "data segments")
	p := copier{src: r.src, from: r.start}
	join := r.dataCount < 0
	var segments []Segment
	for i := 0; i < n && r.err == nil; i++ {
		at := r.pos
		var offset uint32
		switch flags := r.u32(); flags {
		case 1:
			join = false
		case 0, 2:
			memory := uint32(0)
			if flags == 2 {
				memory = r.u32()
			}
			if r.err == nil && memory >= r.memories {
				r.fail(CodeIndexRange, at, "memory %d: the module has %d", memory, r.memories)
			}
			join = join && r.more() && r.src[r.pos] == i32Const
			offset = r.constant(&p)
		default:
			r.fail(CodeMalformed, at, "a data segment with unknown flags 0x%02x", flags)
		}
		size := int(r.u32())
		from := r.pos
		r.skip(size)
		if join && r.err == nil {
			segments = append(segments, Segment{offset, r.src[from:r.pos]})
		}
	}
	r.datas = uint32(n)
	if r.err != nil {
		return
	}
	if join {
		r.sections[11] = joinedSegments(segments)
	}
	if r.sections[11] == nil {
		p.upTo(r.pos)
		r.sections[11] = p.out
	}
}

// joinedSegments is a data section that leaves the same memory as segments and
// does not fit a memory that they do not fit. It sorts them. It gives nil where
// two of them write to the same byte: then the order matters.
func joinedSegments(segments []Segment) []byte {
	slices.SortStableFunc(segments, func(a, b Segment) int { return cmp.Compare(a.Offset, b.Offset) })
	size := 0
	for i, s := range segments {
		size += len(s.Bytes) + joinGap
		if i > 0 && segments[i-1].end() > uint64(s.Offset) {
			return nil
		}
	}
	body := make([]byte, 0, size)
	count := uint32(0)
	for i := 0; i < len(segments); {
		first := i
		for i++; i < len(segments) && uint64(segments[i].Offset)-segments[i-1].end() <= joinGap; i++ {
		}
		start := segments[first].Offset
		body = append(appendS64(append(body, 0, i32Const), int64(int32(start))), endOp)
		body = appendU32(body, uint32(segments[i-1].end()-uint64(start)))
		at := len(body)
		for _, s := range segments[first:i] {
			gap := int(s.Offset-start) - (len(body) - at)
			body = append(append(body, make([]byte, gap)...), s.Bytes...)
		}
		count++
	}
	return append(appendU32(nil, count), body...)
}

// Segments reads a data section of active segments with constant offsets in the
// first memory. The error is a *Refusal of any other.
func Segments(data []byte) ([]Segment, error) {
	if len(data) == 0 {
		return nil, nil
	}
	c := cursor{src: data, end: len(data)}
	out := make([]Segment, c.count(len(data), "data segments"))
	for i := range out {
		if c.byte() != 0 || c.byte() != i32Const {
			c.fail(CodeMalformed, c.pos, "a data segment whose place is not plain")
		}
		out[i].Offset = uint32(c.signed(32))
		if c.byte() != endOp {
			c.fail(CodeMalformed, c.pos, "a data segment whose place is not plain")
		}
		n := int(c.u32())
		from := c.pos
		c.skip(n)
		out[i].Bytes = data[from:c.pos]
	}
	if c.err == nil && c.pos != c.end {
		c.fail(CodeMalformed, c.pos, "%d bytes follow the data segments", c.end-c.pos)
	}
	if c.err != nil {
		return nil, c.err
	}
	return out, nil
}

// Fit reports whether the segments lie in a memory of that many pages.
func Fit(segments []Segment, pages uint32) bool {
	for _, s := range segments {
		if s.end() > uint64(pages)*PageBytes {
			return false
		}
	}
	return true
}
