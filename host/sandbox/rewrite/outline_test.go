package rewrite

import (
	"bytes"
	"slices"
	"testing"

	. "github.com/ox-mcp/ox-mcp/host/sandbox/wasmtest"
)

func meteredOf(t *testing.T, wasm []byte) []byte {
	t.Helper()
	r, err := Rewrite(wasm, options())
	if err != nil {
		t.Fatal(err)
	}
	return r.Wasm
}

// TestOutlinesHoldEverythingButCode: the two forms differ in their code and in
// the digest, and the code of an outline does not depend on the module's.
func TestOutlinesHoldEverythingButCode(t *testing.T) {
	of := func(n int32, digest string) (whole, outline map[byte][]byte, sizes [2]int) {
		t.Helper()
		metered := meteredOf(t, build(func(m *Builder) {
			m.Memory(1)
			m.Global(I32, true, I32Const(4))
			f := m.Func(m.Type(nil, []byte{I32}), nil, I32Const(n))
			m.Export("f", KindFunc, f)
			m.Data(8, []byte("data"))
		}))
		forms, err := Outline(metered, []byte(digest))
		if err != nil {
			t.Fatal(err)
		}
		var parts [2]map[byte][]byte
		for i, wasm := range [][]byte{forms.Whole, forms.Outline} {
			c := cursor{src: wasm, pos: 8, end: len(wasm)}
			parts[i] = map[byte][]byte{}
			for c.more() {
				id, size := c.byte(), int(c.u32())
				from := c.pos
				c.skip(size)
				parts[i][id] = append(parts[i][id], wasm[from:c.pos]...)
			}
			if c.err != nil {
				t.Fatal(c.err)
			}
			sizes[i] = len(wasm)
		}
		return parts[0], parts[1], sizes
	}
	whole, outline, _ := of(1, "digest 1")
	for id, section := range whole {
		switch id {
		case 0, 10:
		case 11: // which the host writes
			if outline[11] != nil {
				t.Errorf("the outline has data: %x", outline[11])
			}
		default:
			if !bytes.Equal(section, outline[id]) {
				t.Errorf("section %d: %x, in the outline %x", id, section, outline[id])
			}
		}
	}
	if want := []byte{2, 3, 0, 0, 0x0B, 3, 0, 0, 0x0B}; !bytes.Equal(outline[10], want) {
		t.Errorf("the code of the outline is %x, want %x", outline[10], want)
	}
	if !bytes.Contains(whole[7], []byte(WholeExport)) || !bytes.Contains(outline[0], []byte("digest 1")) {
		t.Errorf("exports %q, custom sections %q", whole[7], outline[0])
	}
	other, otherOutline, _ := of(2, "digest 1")
	if bytes.Equal(whole[10], other[10]) || !bytes.Equal(outline[10], otherOutline[10]) {
		t.Error("the code of two modules is equal, or that of their outlines is not")
	}
	if _, third, _ := of(1, "digest 3"); bytes.Equal(third[0], outline[0]) {
		t.Error("two digests give the same outline")
	}
}

// TestOutlinesGiveTheirDataAway where the host can write it and the code cannot
// name it.
func TestOutlinesGiveTheirDataAway(t *testing.T) {
	for _, c := range []struct {
		what string
		make func(*Builder)
		away int // segments
	}{
		{"two segments far apart", func(m *Builder) { m.Memory(1); m.Data(0, []byte("a")); m.Data(65535, []byte("b")) }, 2},
		{"none", func(m *Builder) { m.Memory(1) }, 0},
		{"no memory", func(*Builder) {}, 0},
		{"beyond the memory", func(m *Builder) { m.Memory(1); m.Data(65535, []byte("ab")) }, 0},
		{"in no page", func(m *Builder) { m.Memory(0); m.Data(0, []byte("a")) }, 0},
		{"named by code", func(m *Builder) { m.Memory(1); m.Data(0, []byte("a")); m.PassiveData([]byte("b")) }, 0},
	} {
		forms, err := Outline(meteredOf(t, build(c.make)), []byte("12345678"))
		if err != nil {
			t.Fatal(err)
		}
		away, err := Segments(forms.Data)
		if err != nil || len(away) != c.away || c.away == 0 && forms.Data != nil {
			t.Errorf("%s: %d segments are given away, want %d (%v)", c.what, len(away), c.away, err)
		}
	}
	for _, data := range []string{"\x01", "\x01\x01\x00", "\x01\x00\x41\x00\x0b\x05abc", "\x00x", "\xff\xff\xff\xff\x0f"} {
		if got, err := Segments([]byte(data)); err == nil {
			t.Errorf("%q was read as %v", data, got)
		}
	}
}

// TestOutlineRefusesWhatIsNotMetered cuts a module everywhere and flips its
// bytes: there is an answer or a refusal, and no panic.
func TestOutlineRefusesWhatIsNotMetered(t *testing.T) {
	metered := meteredOf(t, build(func(m *Builder) {
		m.Memory(1)
		m.Export("f", KindFunc, m.Func(m.Type(nil, nil), nil, Op(Nop)))
	}))
	digest := []byte("12345678")
	refused := 0
	for n := range metered {
		if _, err := Outline(metered[:n], digest); err != nil {
			refused++
		}
		flipped := slices.Clone(metered)
		for bit := range 8 {
			flipped[n] = metered[n] ^ 1<<bit
			_, _ = Outline(flipped, digest)
		}
	}
	if refused < len(metered)/2 {
		t.Errorf("of %d beginnings of a module %d were refused", len(metered), refused)
	}
	if _, err := Outline(build(func(*Builder) {}), digest); err == nil {
		t.Error("a module that pays for nothing was outlined")
	}
}
