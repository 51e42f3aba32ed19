package oxbin

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"github.com/fxamacker/cbor/v2"
	"github.com/ox-mcp/ox-mcp/abi"
	"lukechampine.com/blake3"
)

func malformed(format string, args ...any) error {
	return &Error{Code: CodeMalformed, Message: fmt.Sprintf(format, args...) + "; build the package again"}
}

func decoder() (cbor.DecMode, error) {
	return cbor.DecOptions{
		DupMapKey:         cbor.DupMapKeyEnforcedAPF,
		IndefLength:       cbor.IndefLengthForbidden,
		TagsMd:            cbor.TagsForbidden,
		MaxNestedLevels:   16,
		MaxArrayElements:  1 << 27,
		ExtraReturnErrors: cbor.ExtraDecErrorUnknownField,
	}.DecMode()
}

// Decode reads and verifies a file. Every failure is an *Error.
func Decode(file []byte) (*Artifact, Hash, error) {
	dec, err := decoder()
	if err != nil {
		return nil, Hash{}, err
	}
	enc, err := encoder()
	if err != nil {
		return nil, Hash{}, err
	}
	ctl, bodies, err := readControl(dec, file)
	if err != nil {
		return nil, Hash{}, err
	}
	// Layer 1: the claim, before any body is looked at.
	if ctl.MaxTier > MaxTierSupported || ctl.MaxTemporal > MaxTemporalSupported {
		return nil, Hash{}, &Error{Code: CodeTierMismatch, Message: fmt.Sprintf(
			"the artifact claims tier %s and temporal tier %s; this runtime supports up to %s and %s",
			name(MainTiers, ctl.MaxTier), name(TemporalTiers, ctl.MaxTemporal), MainTiers[MaxTierSupported], TemporalTiers[MaxTemporalSupported])}
	}
	// Layer 2: each section.
	sections, err := readSections(ctl, bodies)
	if err != nil {
		return nil, Hash{}, err
	}
	a := &Artifact{Symbols: sections[sectionSymbols], Lattice: sections[sectionLattice]}
	if err := readTables(dec, sections, a); err != nil {
		return nil, Hash{}, err
	}
	if err := readProgram(sections, a); err != nil {
		return nil, Hash{}, err
	}
	if err := checkTiers(ctl, a); err != nil {
		return nil, Hash{}, err
	}
	wiring, lattice := wiringHash(a.Events), blake3.Sum256(a.Lattice)
	signature := compositionSignature(wiring, lattice)
	if !bytes.Equal(signature[:], ctl.Signature) || !bytes.Equal(wiring[:], ctl.Wiring) || !bytes.Equal(lattice[:], ctl.Lattice) {
		return nil, Hash{}, &Error{Code: CodeSignature, Message: "the composition signature does not match the declarations; build the package again"}
	}
	hash, err := artifactHash(enc, signature, ctl.Directory)
	return a, hash, err
}

func readControl(dec cbor.DecMode, file []byte) (*control, []byte, error) {
	if len(file) < preambleSize || !bytes.Equal(file[:6], magic[:]) {
		return nil, nil, malformed("this is no .oxbin artifact")
	}
	if v := binary.LittleEndian.Uint16(file[6:]); v != formatVersion {
		return nil, nil, &Error{Code: CodeUnsupportedFormat, Message: fmt.Sprintf("the artifact has format version %d, this build reads %d; build the package again", v, formatVersion)}
	}
	if binary.LittleEndian.Uint32(file[8:]) != tierLadderVersion || binary.LittleEndian.Uint32(file[12:]) != runtimeContractVersion {
		return nil, nil, &Error{Code: CodeUnsupportedFormat, Message: "the artifact was made for another tier ladder or runtime contract; build the package again"}
	}
	size := uint64(binary.LittleEndian.Uint32(file[16:]))
	rest := file[preambleSize:]
	if size > uint64(len(rest)) {
		return nil, nil, malformed("the artifact ends inside its control section")
	}
	var ctl control
	if err := dec.Unmarshal(rest[:size], &ctl); err != nil {
		return nil, nil, malformed("the control section does not parse: %v", err)
	}
	return &ctl, rest[size:], nil
}

func readSections(ctl *control, bodies []byte) (map[uint8][]byte, error) {
	sections := map[uint8][]byte{}
	for _, e := range ctl.Directory {
		if e.Length > uint64(len(bodies)) {
			return nil, malformed("the artifact ends inside section %d", e.Type)
		}
		body := bodies[:e.Length]
		bodies = bodies[e.Length:]
		if e.Flags&flagContentHashed != 0 {
			if sum := sha256.Sum256(body); !bytes.Equal(sum[:], e.Hash) {
				return nil, &Error{Code: CodeSignature, Message: fmt.Sprintf("section %d was changed after the build; build the package again", e.Type)}
			}
		}
		if !known(e.Type) {
			if e.Flags&flagMandatory != 0 {
				return nil, &Error{Code: CodeUnknownSection, Message: fmt.Sprintf("the artifact has a mandatory section of type %d that this build does not know", e.Type)}
			}
			continue
		}
		if _, twice := sections[e.Type]; twice || e.Flags&flagContentHashed == 0 {
			return nil, malformed("section %d stands twice or has no hash", e.Type)
		}
		sections[e.Type] = body
	}
	if len(bodies) != 0 {
		return nil, malformed("%d bytes follow the last section", len(bodies))
	}
	for _, t := range knownSections {
		if _, ok := sections[t]; !ok {
			return nil, malformed("section %d is missing", t)
		}
	}
	return sections, nil
}

var knownSections = [...]uint8{sectionSymbols, sectionEvents, sectionLattice, sectionTiers, sectionRules, sectionTests, sectionSources, sectionBuild}

func known(t uint8) bool {
	for _, k := range knownSections {
		if k == t {
			return true
		}
	}
	return false
}

func readTables(dec cbor.DecMode, sections map[uint8][]byte, a *Artifact) error {
	var events []wireEvent
	var tiers []wireTier
	var sources []wireSource
	var build wireBuild
	for _, s := range []struct {
		typ  uint8
		into any
	}{{sectionEvents, &events}, {sectionTiers, &tiers}, {sectionSources, &sources}, {sectionBuild, &build}} {
		if err := dec.Unmarshal(sections[s.typ], s.into); err != nil {
			return malformed("section %d does not parse: %v", s.typ, err)
		}
	}
	if len(build.Workspace) != 32 {
		return malformed("the workspace digest has %d bytes", len(build.Workspace))
	}
	a.Build = Build{Package: build.Package, Version: build.Version, Entry: build.Entry, Compiler: build.Compiler, Workspace: [32]byte(build.Workspace), TestMode: build.TestMode}
	for _, in := range build.Inputs {
		if len(in.Hash) != 32 {
			return malformed("the hash of input %q has %d bytes", in.Path, len(in.Hash))
		}
		a.Build.Inputs = append(a.Build.Inputs, Input{Path: in.Path, Hash: [32]byte(in.Hash)})
	}
	for _, e := range events {
		for i, n := range e.Lines {
			if n < 0 || i%2 == 0 && n >= len(sources) {
				return &Error{Code: CodeSymbols, Message: "a declared fact names a source that is not in the artifact; build the package again"}
			}
		}
		from, fine := readInstant(e.From)
		to, alsoFine := readInstant(e.To)
		if !fine || !alsoFine {
			return malformed("the period of the facts of %s does not parse", e.Name)
		}
		a.Events = append(a.Events, Event{Kind: e.Kind, Name: e.Name, Body: e.Body, Lines: e.Lines, Layer: e.Layer, From: from, To: to})
	}
	for _, t := range tiers {
		a.Tiers = append(a.Tiers, Tier{Rule: t.Rule, Tier: t.Tier, Temporal: t.Temporal})
	}
	for _, s := range sources {
		a.Sources = append(a.Sources, Source{Path: s.Path, Text: s.Text})
	}
	return nil
}

func readProgram(sections map[uint8][]byte, a *Artifact) error {
	if err := a.Program.DecodeCBOR(sections[sectionRules]); err != nil {
		return malformed("the rules do not parse: %v", err)
	}
	var tests abi.Program
	if err := tests.DecodeCBOR(sections[sectionTests]); err != nil {
		return malformed("the tests do not parse: %v", err)
	}
	a.Program.Tests = tests.Tests
	if err := a.Program.Validate(); err != nil {
		return &Error{Code: CodeSymbols, Message: fmt.Sprintf("the rules refer to something that is not in the artifact: %v", err)}
	}
	return nil
}

func checkTiers(ctl *control, a *Artifact) error {
	if len(a.Tiers) != len(a.Program.Rules) {
		return &Error{Code: CodeTierTable, Message: fmt.Sprintf("the tier table has %d entries for %d rules", len(a.Tiers), len(a.Program.Rules))}
	}
	for _, t := range a.Tiers {
		if t.Tier > ctl.MaxTier || t.Temporal > ctl.MaxTemporal {
			return &Error{Code: CodeTierTable, Message: fmt.Sprintf("rule %s needs tier %s, above the artifact's claim", t.Rule, name(MainTiers, t.Tier))}
		}
	}
	return nil
}

func name(ladder []string, i uint8) string {
	if int(i) < len(ladder) {
		return ladder[i]
	}
	return fmt.Sprint(i)
}

// readInstant reads [seconds, nanoseconds], or [] for none.
func readInstant(pair []int64) (*Instant, bool) {
	switch {
	case len(pair) == 0:
		return nil, true
	case len(pair) == 2 && pair[1] >= 0 && pair[1] < 1_000_000_000:
		return &Instant{Seconds: pair[0], Nanos: int32(pair[1])}, true
	}
	return nil, false
}
