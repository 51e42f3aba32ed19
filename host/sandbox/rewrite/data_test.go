package rewrite

import (
	"bytes"
	"math/rand/v2"
	"testing"

	. "github.com/ox-mcp/ox-mcp/host/sandbox/wasmtest"
)

// segmentsOf reads the data section of a metered module.
func segmentsOf(t *testing.T, wasm []byte) []Segment {
	t.Helper()
	c := cursor{src: wasm, pos: 8, end: len(wasm)}
	for c.more() {
		id, size := c.byte(), int(c.u32())
		if id != 11 {
			c.skip(size)
			continue
		}
		var out []Segment
		for range c.u32() {
			if flags := c.byte(); flags == 1 {
				out = append(out, Segment{})
			} else {
				c.byte()
				out = append(out, Segment{Offset: uint32(c.signed(32))})
				c.byte()
			}
			n := int(c.u32())
			out[len(out)-1].Bytes = wasm[c.pos : c.pos+n]
			c.skip(n)
		}
		if c.err != nil {
			t.Fatal(c.err)
		}
		return out
	}
	return nil
}

func written(memory []byte, segments []Segment) []byte {
	for _, s := range segments {
		copy(memory[s.Offset:], s.Bytes)
	}
	return memory
}

func TestCloseDataSegmentsBecomeOne(t *testing.T) {
	of := func(segments ...Segment) []Segment {
		t.Helper()
		wasm := build(func(m *Builder) {
			m.Memory(1)
			for _, s := range segments {
				m.Data(int32(s.Offset), s.Bytes)
			}
		})
		r, err := Rewrite(wasm, options())
		if err != nil {
			t.Fatal(err)
		}
		got := segmentsOf(t, r.Wasm)
		if have, want := written(make([]byte, PageBytes), got), written(make([]byte, PageBytes), segments); !bytes.Equal(have, want) {
			t.Errorf("%v leaves another memory than %v", got, segments)
		}
		return got
	}
	ab, cd := []byte("ab"), []byte("cd")
	for _, c := range []struct {
		name     string
		segments []Segment
		want     int
	}{
		{"none", nil, 0},
		{"touching", []Segment{{8, ab}, {10, cd}}, 1},
		{"the widest gap", []Segment{{8, ab}, {10 + joinGap, cd}}, 1},
		{"a wider gap", []Segment{{8, ab}, {11 + joinGap, cd}}, 2},
		{"one over the other", []Segment{{8, ab}, {9, cd}}, 2},
		{"backwards", []Segment{{20, ab}, {8, cd}}, 1},
		{"backwards, one over the other", []Segment{{20, ab}, {8, ab}, {21, cd}}, 3},
		{"zeros over what was there", []Segment{{8, ab}, {9, []byte{0}}, {20, cd}}, 3},
		{"empty ones", []Segment{{8, nil}, {8, ab}, {10, nil}}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := of(c.segments...); len(got) != c.want {
				t.Errorf("%d segments, want %d", len(got), c.want)
			}
		})
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var segments []Segment
		at := 0
		for range random.IntN(8) {
			at = max(0, at+random.IntN(3*joinGap)-joinGap/2)
			b := make([]byte, random.IntN(40))
			for i := range b {
				b[i] = byte(random.IntN(3))
			}
			segments = append(segments, Segment{uint32(at), b})
			at += len(b)
		}
		of(segments...)
	}
}

func TestAnnouncedDataSegmentsStay(t *testing.T) {
	r, err := Rewrite(build(func(m *Builder) {
		m.Memory(1)
		m.Data(8, []byte("ab"))
		m.Data(10, []byte("cd"))
		m.PassiveData([]byte("ef"))
	}), options())
	if err != nil {
		t.Fatal(err)
	}
	if got := segmentsOf(t, r.Wasm); len(got) != 3 {
		t.Errorf("%d segments, want the three that the code may name", len(got))
	}
}
