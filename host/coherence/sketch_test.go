package coherence

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// TestASketchStatesWhatTheArtifactStates holds the facts of a sketch to those
// that are read from the artifact.
func TestASketchStatesWhatTheArtifactStates(t *testing.T) {
	manifests, err := filepath.Glob("../../examples/*/ox.toml")
	if err != nil || len(manifests) < 10 {
		t.Fatal("no examples", err)
	}
	periods := filepath.Join(t.TempDir(), "root.ar")
	if err := os.WriteFile(periods, []byte(timedFacts), 0o600); err != nil {
		t.Fatal(err)
	}
	timed, layers := 0, 0
	for _, m := range append(manifests, periods) {
		p := &Project{Root: filepath.Dir(m), WorkspaceRoot: "../.."}
		if m == periods {
			p = &Project{Root: m}
		}
		r, err := p.Compile(context.Background(), nil, false)
		if err != nil {
			t.Fatal(err)
		}
		if r.Module == nil {
			continue
		}
		packed, err := Pack(r, false)
		if err != nil {
			t.Fatal(err)
		}
		want, err := Stated(packed)
		if err != nil {
			t.Fatal(err)
		}
		sketched, got, err := Sketch(r, false)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(want) {
			t.Fatalf("%s: %d sets of facts, %d in the artifact", m, len(got), len(want))
		}
		for i := range got {
			a, b := got[i], want[i]
			if a.Timed() {
				timed++
			}
			if a.Layer != "" {
				layers++
			}
			if string(a.Frame.AppendCBOR(nil)) != string(b.Frame.AppendCBOR(nil)) {
				t.Errorf("%s: set %d has other rows", m, i)
			}
			a.Frame = b.Frame
			if !reflect.DeepEqual(a, b) {
				t.Errorf("%s: set %d is %+v, in the artifact %+v", m, i, a, b)
			}
		}
		if !reflect.DeepEqual(sketched.Sources, packed.Sources) || !reflect.DeepEqual(sketched.Build, packed.Build) {
			t.Errorf("%s: the sketch is of other sources", m)
		}
	}
	if timed == 0 || layers == 0 {
		t.Errorf("%d sets with a period, %d of a layer: the examples show too little", timed, layers)
	}
}

const timedFacts = `use std::core::{type, rel};
pub type Pier { mut depth: Int }
pub rel Moors(pier: Pier, other: Pier);
pub fact Pier(north) { depth: 4 };
pub fact Moors(north, south);
pub fact Moors(south, north) at #2031-01-01#..#2031-02-01#;
pub fact Pier(south) at #2030-01-01#;
standpoint Owner { pub fact Moors(south, east) at ..#2029-01-01#; pub fact Moors(east, east); }
`
