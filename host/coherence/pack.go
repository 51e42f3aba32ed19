package coherence

import (
	"context"
	"fmt"
	"path"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/fxamacker/cbor/v2"
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon"
	"github.com/ox-mcp/ox-mcp/host/argon/load"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
	"github.com/ox-mcp/ox-mcp/host/oxbin"
)

// Facts are declared facts of one base relation in one layer. Lines holds a pair a row:
// the index of the artifact's source, and the line in it.
type Facts struct {
	Relation int
	Layer    string // the standpoint that declares them; empty: they are in every view
	Frame    abi.Frame
	Lines    []int
	From, To *oxbin.Instant // valid time, from From on up to To; nil: no bound
}

// Timed reports whether the facts have not always held.
func (f *Facts) Timed() bool { return f.From != nil || f.To != nil }

// Pack makes the artifact of a compiled package.
func Pack(r *argon.Result, test bool) (*oxbin.Artifact, error) {
	a, facts, err := sketch(r, test)
	if err != nil {
		return nil, err
	}
	enc, err := cbor.CoreDetEncOptions().EncMode()
	if err != nil {
		return nil, err
	}
	a.Tiers = tiers(r.Module)
	if a.Symbols, err = enc.Marshal(r.Module.Schema); err != nil {
		return nil, fmt.Errorf("pack the schema: %w", err)
	}
	for _, c := range r.Module.Schema.Constructs {
		c.Place, c.Doc = lower.Place{}, ""
		body, err := enc.Marshal(c)
		if err != nil {
			return nil, fmt.Errorf("pack %s: %w", c.Name, err)
		}
		a.Events = append(a.Events, oxbin.Event{Kind: declarationKind(c.Kind), Name: c.Name, Body: body})
	}
	for i := range facts {
		f := &facts[i]
		of := &a.Program.Relations[f.Relation]
		a.Events = append(a.Events, oxbin.Event{From: f.From, To: f.To, Kind: factKind(of), Name: of.Name, Body: f.Frame.AppendCBOR(nil), Layer: f.Layer, Lines: f.Lines})
	}
	return a, nil
}

// Sketch is Pack without the events, the schema and the tiers, and gives the
// facts as Stated of that artifact does: enough to evaluate the program, not to
// be written.
func Sketch(r *argon.Result, test bool) (*oxbin.Artifact, []Facts, error) {
	a, facts, err := sketch(r, test)
	sortFacts(facts)
	return a, facts, err
}

func sketch(r *argon.Result, test bool) (*oxbin.Artifact, []Facts, error) {
	m, ws := r.Module, r.Workspace
	workspace, inputs, readable := digest(ws.Inputs)
	if !readable {
		return nil, nil, fmt.Errorf("an input of the package cannot be read")
	}
	a := &oxbin.Artifact{
		Build: oxbin.Build{
			Package: ws.Main.Name, Version: ws.Main.Version, Entry: ws.Main.Entry,
			Compiler: Compiler, Workspace: workspace, Inputs: inputs, TestMode: test,
		},
		Program: m.Program,
	}
	if !test {
		a.Program.Tests = nil
	}
	enc, err := cbor.CoreDetEncOptions().EncMode()
	if err != nil {
		return nil, nil, err
	}
	sources := map[string]int{}
	for _, in := range ws.Inputs {
		if utf8.Valid(in.Bytes) {
			sources[in.Path] = len(a.Sources)
			a.Sources = append(a.Sources, oxbin.Source{Path: in.Path, Text: textOf(ws, in)})
		}
	}
	if a.Lattice, err = packLattice(enc, m.Standpoints); err != nil {
		return nil, nil, err
	}
	return a, factsOf(m, sources), nil
}

// textOf is the text of an input: where the compiler read the same, that.
func textOf(ws *load.Workspace, in load.Input) string {
	if text, ok := ws.Text(in.Path); ok && text == string(in.Bytes) {
		return text
	}
	return string(in.Bytes)
}

// factsOf gives the facts of m in the order in which artifacts have them. sources are the indexes of the artifact's.
func factsOf(m *lower.Module, sources map[string]int) []Facts {
	out := make([]Facts, 0, len(m.Facts)+len(m.Periods))
	for _, list := range [][]lower.FactSet{m.Facts, m.Periods} {
		for i := range list {
			f := &list[i]
			of := Facts{Relation: f.Relation, Layer: f.Layer, Frame: f.Frame, From: instant(f.Period.From), To: instant(f.Period.To)}
			for _, p := range f.Places {
				of.Lines = append(of.Lines, sources[p.Path], p.Line) // 0 for a path that is no input
			}
			out = append(out, of)
		}
	}
	return out
}

func instant(v *abi.Value) *oxbin.Instant {
	if v == nil {
		return nil
	}
	return &oxbin.Instant{Seconds: v.Int, Nanos: v.Nano}
}

func declarationKind(kind string) string {
	switch kind {
	case "concept", "relation", "struct", "enum", "metatype", "metarel", "standpoint":
		return kind + "_decl"
	}
	return "rule_decl"
}

func factKind(r *abi.Relation) string {
	refuted := strings.HasSuffix(r.Name, "-")
	switch {
	case r.Origin == abi.OriginConcept && refuted:
		return oxbin.KindRefutation
	case r.Origin == abi.OriginConcept:
		return oxbin.KindAssertion
	case r.Origin == abi.OriginField:
		return oxbin.KindProperty
	case refuted:
		return oxbin.KindTupleRefutation
	}
	return oxbin.KindTuple
}

// tiers is the tier table of m.
func tiers(m *lower.Module) []oxbin.Tier {
	out := make([]oxbin.Tier, len(m.Tiers))
	for i, t := range m.Tiers {
		out[i] = oxbin.Tier{Rule: fmt.Sprintf("%s/%d", m.Program.Rules[i].Name, i), Tier: uint8(t.Main), Temporal: uint8(t.Temporal)}
	}
	return out
}

// Unpack reads what Pack wrote of facts and schema.
func Unpack(a *oxbin.Artifact) ([]Facts, lower.Schema, error) {
	var schema lower.Schema
	dec, err := cbor.DecOptions{DupMapKey: cbor.DupMapKeyEnforcedAPF, IndefLength: cbor.IndefLengthForbidden}.DecMode()
	if err != nil {
		return nil, schema, err
	}
	if err := dec.Unmarshal(a.Symbols, &schema); err != nil {
		return nil, schema, malformed("the schema does not parse: %v", err)
	}
	facts, err := Stated(a)
	return facts, schema, err
}

func malformed(format string, args ...any) error {
	return &oxbin.Error{Code: oxbin.CodeMalformed, Message: fmt.Sprintf(format, args...) + "; build the package again"}
}

// Stated reads the facts of an artifact: those that have always held by layer
// and relation, then those with a period in their order.
func Stated(a *oxbin.Artifact) ([]Facts, error) {
	relations := map[string]int{}
	for i, r := range a.Program.Relations {
		relations[r.Name] = i
	}
	var out []Facts
	for i := range a.Events {
		e := &a.Events[i]
		if e.Structural() {
			continue
		}
		rel, ok := relations[e.Name]
		if !ok {
			return nil, &oxbin.Error{Code: oxbin.CodeSymbols, Message: fmt.Sprintf("facts are declared of %s, which the rules do not have; build the package again", e.Name)}
		}
		f := Facts{Relation: rel, Layer: e.Layer, Lines: e.Lines, From: e.From, To: e.To}
		if err := f.Frame.DecodeCBOR(e.Body); err != nil {
			return nil, malformed("the facts of %s do not parse: %v", e.Name, err)
		}
		if len(f.Frame.Columns) != len(a.Program.Relations[rel].Columns) {
			return nil, malformed("the facts of %s have %d columns", e.Name, len(f.Frame.Columns))
		}
		out = append(out, f)
	}
	sortFacts(out)
	return out, nil
}

// sortFacts puts those that have always held first, by layer and relation. Those
// with a period stay in their order, which tells what displaces what.
func sortFacts(list []Facts) {
	sort.SliceStable(list, func(i, j int) bool {
		if list[i].Timed() || list[j].Timed() {
			return !list[i].Timed() && list[j].Timed()
		}
		if list[i].Layer != list[j].Layer {
			return list[i].Layer < list[j].Layer
		}
		return list[i].Relation < list[j].Relation
	})
}

// Restore compiles a package again from the sources in its artifact, so that
// ad-hoc bodies are checked against exactly what is served.
func Restore(ctx context.Context, a *oxbin.Artifact) (*argon.Result, error) {
	files := map[string]string{}
	for _, s := range a.Sources {
		files[s.Path] = s.Text
	}
	o := load.Options{Root: ".", Files: load.Memory(files), SourceLimit: maxArtifact}
	if _, ok := files["ox.toml"]; !ok {
		o.Root = path.Clean(a.Build.Entry)
	}
	ws, err := load.Load(ctx, o)
	if err != nil {
		return nil, err
	}
	r := argon.Compile(ctx, ws, argon.Options{TestMode: a.Build.TestMode})
	if r.Module == nil {
		for _, d := range r.Diagnostics {
			if d.Severity == 0 {
				return nil, fmt.Errorf("%s %s: %s", d.Code, d.Place.Path, d.Message)
			}
		}
		return nil, fmt.Errorf("no module")
	}
	return r, nil
}
