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
pub fact Book(reader) { bought: #2031-04-10# };
`

// What a repair proposes can be written: a field that always has a value is not
// taken away, be the value a default; and a day that stands for any is next to
// those that are known.
func TestARepairProposesWhatCanBeWritten(t *testing.T) {
	p := open(t, map[string]string{"ox.toml": mooringsManifest, "root.ar": shelf}, nil)
	for fact, want := range map[string]string{
		"uncounted(atlas)": "",
		"few(atlas)":       "+atlas.copies = 0",
		"plain(atlas)":     "-atlas.note = 5",
		"alone(primer)":    "+primer.bought = 2031-04-11 +reader.bought = 2031-04-11 +reader.bought = 2031-02-01",
	} {
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
