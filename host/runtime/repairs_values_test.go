package runtime_test

import (
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

const shelf = `pub type Book { mut copies: Int = 3, mut note: Int? = 5, mut bought: Date }
pub fact Book(atlas) { bought: #2031-02-01# };
pub fact Book(primer) { bought: #2031-04-10# };
pub derive counted(b, n) :- b: Book, n = b.copies;
pub derive noted(b, n) :- b: Book, n = b.note;
pub derive uncounted(b) :- b: Book, not counted(b, _);
pub derive few(b) :- b: Book, not counted(b, 3);
pub derive plain(b) :- b: Book, not noted(b, _);
pub derive shared(b) :- b: Book, c: Book, b != c, b.bought == c.bought;
pub derive alone(b) :- b: Book, not shared(b);
pub rel Marked(b: Book, with: Top);
pub derive marked(b) :- Marked(b, v), b.note == 5;
pub check unmarked(b: Book) :- uncounted(b) =>
    Diagnostic { severity: Severity::Error, code: "S-1", message: "{b} is on no list" };
pub fact Book(reader) { bought: #2031-04-10# };
`

// What a repair proposes can be written: a field that always has a value is not
// taken away, be the value a default; a day that stands for any is next to those
// that are known; and the words of a message are no values.
func TestARepairProposesWhatCanBeWritten(t *testing.T) {
	proposes(t, shelf, map[string]string{
		"uncounted(atlas)": "",
		"few(atlas)":       "+atlas.copies = 0",
		"plain(atlas)":     "-atlas.note = 5",
		"marked(primer)":   "+Marked(primer, 3) +Marked(primer, 5) +Marked(primer, atlas) +Marked(primer, primer) +Marked(primer, reader) +Marked(primer, Error) +Marked(primer, Warning) +Marked(primer, 2031-02-01) +Marked(primer, 2031-04-10) +Marked(primer, none)",
		"alone(primer)":    "+primer.bought = 2031-04-11 +reader.bought = 2031-04-11 +reader.bought = 2031-02-01",
	})
}

const label = `pub type Crate;
pub struct Size { high: Int, wide: Int }
pub rel Weighs(c: Crate, kilos: Int);
pub rel Marked(c: Crate, kilos: Int?);
pub rel Beside(c: Crate, other: Crate?);
pub rel Measures(c: Crate, s: Size);
pub rel Says(c: Crate, what: Top);
pub fact Crate(long);
pub fact Crate(flat);
pub fact Weighs(flat, 8);
pub fact Marked(flat, 1);
pub fact Beside(flat, long);
pub fact Measures(flat, Size { high: 1, wide: 1 });
pub fact Says(flat, Size { high: 7, wide: 2 });
pub derive right(c) :- Marked(c, n), Weighs(flat, n);
pub derive heavy(c) :- Beside(c, d), Weighs(d, _);
pub derive said(c) :- Measures(c, s), Says(flat, s);
`

// What may be absent, and what is put together, takes the values of the places that
// it is equal to, and none of another type.
func TestARepairOfACompositePlaceTakesWhatItIsEqualTo(t *testing.T) {
	proposes(t, label, map[string]string{
		"right(long)": "+Marked(long, 8)",
		"heavy(long)": "+Beside(long, flat)",
		"said(long)":  "+Measures(long, Size{7, 2})",
	})
}

// proposes holds the repairs of facts that do not hold against what they should be.
func proposes(t *testing.T, source string, of map[string]string) {
	t.Helper()
	p := open(t, map[string]string{"ox.toml": mooringsManifest, "root.ar": source}, nil)
	for fact, want := range of {
		res, err := p.Explain(t.Context(), runtime.ExplainRequest{Fact: fact})
		if err != nil || res.Derived || res.WhyNot == nil {
			t.Fatalf("%s: %+v %v", fact, res.Outcome, err)
		}
		var got []string
		for _, r := range res.WhyNot.Repairs {
			for _, f := range r.Facts {
				got = append(got, "+"+f)
			}
			for _, f := range r.Removed {
				got = append(got, "-"+f)
			}
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%s: %q, want %q", fact, text, want)
		}
	}
}
