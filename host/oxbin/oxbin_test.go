package oxbin

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
)

func sample() *Artifact {
	str := abi.Type{Op: abi.TypeString}
	facts := abi.FrameBuilder{Arity: 1}
	facts.Add([]abi.Value{abi.NamedValue("root::aurora")})
	frame := facts.Frame()
	return &Artifact{
		Build:   Build{Package: "harbour", Version: "0.1.0", Entry: "root.ar", Compiler: "test", Workspace: [32]byte{1}, Inputs: []Input{{Path: "root.ar", Hash: [32]byte{2}}}},
		Symbols: []byte{0x80},
		Events: []Event{
			{Kind: "concept_decl", Name: "root::Ship", Body: []byte{0x01}},
			{Kind: KindAssertion, Name: "root::Ship+", Body: frame.AppendCBOR(nil), Lines: []int{0, 3}},
		},
		Tiers: []Tier{{Rule: "root::Ship/0", Temporal: 1}},
		Program: abi.Program{
			ABI: abi.Version, Module: "root", Files: []string{"root.ar"},
			Relations: []abi.Relation{
				{Name: "root::Ship+", Role: abi.Base, Columns: []abi.Column{{Name: "self", Type: str}}, Asserted: -1, Refuted: -1},
				{Name: "root::Ship", Role: abi.Derived, Columns: []abi.Column{{Name: "self", Type: str}}, Asserted: 0, Refuted: -1},
			},
			Rules: []abi.Rule{{
				Name: "root::Ship", Head: 1, Args: []abi.Arg{{Op: abi.ArgSlot}}, Slots: []abi.Slot{{Name: "x", Type: str}},
				Body: []abi.Atom{{Op: abi.AtomScan, Rel: 0, Args: []abi.Arg{{Op: abi.ArgSlot}}}},
			}},
			Components: []abi.Component{{Relations: []int{1}, Rules: []int{0}}},
			Tests:      []abi.Test{{Name: "a test"}},
		},
		Sources: []Source{{Path: "root.ar", Text: "pub type Ship;\n"}},
	}
}

func encode(t *testing.T, a *Artifact) ([]byte, Hash) {
	t.Helper()
	file, hash, err := Encode(a)
	if err != nil {
		t.Fatal(err)
	}
	return file, hash
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	a := sample()
	file, hash := encode(t, a)
	got, gotHash, err := Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	if gotHash != hash {
		t.Errorf("read hash %v, wrote %v", gotHash, hash)
	}
	again, _ := encode(t, got)
	if !bytes.Equal(file, again) {
		t.Error("what was read does not encode to the same bytes")
	}
	if len(got.Program.Tests) != 1 || got.Build.Inputs[0].Path != "root.ar" || got.Events[1].Lines[1] != 3 {
		t.Errorf("tests, inputs or lines were lost: %+v", got)
	}
}

func TestEqualArtifactsAreEqualBytes(t *testing.T) {
	one, h1 := encode(t, sample())
	two, h2 := encode(t, sample())
	if !bytes.Equal(one, two) || h1 != h2 {
		t.Error("two encodings of one artifact differ")
	}
}

func TestTheHashCoversEverything(t *testing.T) {
	_, hash := encode(t, sample())
	for what, change := range map[string]func(*Artifact){
		"a source":        func(a *Artifact) { a.Sources[0].Text += " " },
		"a fact's line":   func(a *Artifact) { a.Events[1].Lines[1] = 4 },
		"a declaration":   func(a *Artifact) { a.Events[0].Body = []byte{0x02} },
		"a rule":          func(a *Artifact) { a.Program.Rules[0].Label = "l" },
		"a test":          func(a *Artifact) { a.Program.Tests[0].Name = "b" },
		"the tiers":       func(a *Artifact) { a.Tiers[0].Tier = 3 },
		"the lattice":     func(a *Artifact) { a.Lattice = []byte{0x80} },
		"the inputs":      func(a *Artifact) { a.Build.Workspace[0] ^= 1 },
		"the test marker": func(a *Artifact) { a.Build.TestMode = true },
	} {
		a := sample()
		change(a)
		if _, h := encode(t, a); h == hash {
			t.Errorf("a change of %s does not change the hash", what)
		}
	}
}

func TestTheWiringIgnoresInstanceData(t *testing.T) {
	a, b := sample(), sample()
	b.Events[1].Body = []byte{0x40}
	if wiringHash(a.Events) != wiringHash(b.Events) {
		t.Error("declared facts are part of the wiring")
	}
	b.Events[0].Name = "root::Boat"
	if wiringHash(a.Events) == wiringHash(b.Events) {
		t.Error("a rename is not part of the wiring")
	}
}

// Any flipped byte must be found, whatever it belongs to.
func TestAFlippedByteIsRefused(t *testing.T) {
	file, hash := encode(t, sample())
	for i := range file {
		bad := bytes.Clone(file)
		bad[i] ^= 0x40
		_, h, err := Decode(bad)
		if err == nil && h == hash {
			t.Fatalf("byte %d was changed and nobody noticed", i)
		}
		var refused *Error
		if err != nil && !errors.As(err, &refused) {
			t.Fatalf("byte %d: %v is no load-validation error", i, err)
		}
	}
}

func TestATruncatedFileIsRefused(t *testing.T) {
	file, _ := encode(t, sample())
	for n := range file {
		if _, _, err := Decode(file[:n]); err == nil {
			t.Fatalf("the first %d of %d bytes were taken", n, len(file))
		}
	}
	if _, _, err := Decode(append(bytes.Clone(file), 0)); err == nil {
		t.Error("a byte after the last section was taken")
	}
}

func TestLoadValidationCodes(t *testing.T) {
	code := func(file []byte) string {
		_, _, err := Decode(file)
		var refused *Error
		if !errors.As(err, &refused) {
			t.Fatalf("%v is no load-validation error", err)
		}
		return refused.Code
	}
	version, _ := encode(t, sample())
	binary.LittleEndian.PutUint16(version[6:], 9)
	if got := code(version); got != CodeUnsupportedFormat {
		t.Errorf("another format version: %s", got)
	}
	if got := code([]byte("no artifact at all, but long enough")); got != CodeMalformed {
		t.Errorf("other bytes: %s", got)
	}
	a := sample()
	a.Tiers[0].Tier = 6
	tier, _ := encode(t, a)
	if got := code(tier); got != CodeTierMismatch {
		t.Errorf("a tier beyond the runtime's: %s", got)
	}
	a = sample()
	a.Tiers = nil
	table, _ := encode(t, a)
	if got := code(table); got != CodeTierTable {
		t.Errorf("a tier table that does not fit: %s", got)
	}
	a = sample()
	a.Program.Rules[0].Head = 7
	dangling, _ := encode(t, a)
	if got := code(dangling); got != CodeSymbols {
		t.Errorf("a rule of a relation that is not there: %s", got)
	}
	body, _ := encode(t, sample())
	body[len(body)-1] ^= 1
	if got := code(body); got != CodeSignature {
		t.Errorf("a changed section: %s", got)
	}
}

func FuzzDecode(f *testing.F) {
	file, _, err := Encode(sample())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(file)
	f.Add(file[:40])
	f.Fuzz(func(t *testing.T, b []byte) {
		a, _, err := Decode(b)
		if err != nil {
			var refused *Error
			if !errors.As(err, &refused) {
				t.Fatalf("%v is no load-validation error", err)
			}
			return
		}
		if _, _, err := Encode(a); err != nil {
			t.Fatalf("what was read does not encode: %v", err)
		}
	})
}
