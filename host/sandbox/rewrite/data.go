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

// dataSegment is an active segment whose place is a constant.
type dataSegment struct {
	offset uint32
	bytes  []byte
}

func (s dataSegment) end() uint64 { return uint64(s.offset) + uint64(len(s.bytes)) }

// dataSection joins segments that lie close to each other, with the zeros that
// a new memory has between them. A module that announces its segments may name
// them in its code, so it keeps them as they are.
func (r *rewriter) dataSection() {
	n := r.count(r.opts.Limits.Items, "data segments")
	p := copier{src: r.src, from: r.start}
	join := r.dataCount < 0
	var segments []dataSegment
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
			segments = append(segments, dataSegment{offset, r.src[from:r.pos]})
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
func joinedSegments(segments []dataSegment) []byte {
	slices.SortStableFunc(segments, func(a, b dataSegment) int { return cmp.Compare(a.offset, b.offset) })
	size := 0
	for i, s := range segments {
		size += len(s.bytes) + joinGap
		if i > 0 && segments[i-1].end() > uint64(s.offset) {
			return nil
		}
	}
	body := make([]byte, 0, size)
	count := uint32(0)
	for i := 0; i < len(segments); {
		first := i
		for i++; i < len(segments) && uint64(segments[i].offset)-segments[i-1].end() <= joinGap; i++ {
		}
		start := segments[first].offset
		body = append(appendS64(append(body, 0, i32Const), int64(int32(start))), endOp)
		body = appendU32(body, uint32(segments[i-1].end()-uint64(start)))
		at := len(body)
		for _, s := range segments[first:i] {
			gap := int(s.offset-start) - (len(body) - at)
			body = append(append(body, make([]byte, gap)...), s.bytes...)
		}
		count++
	}
	return append(appendU32(nil, count), body...)
}
