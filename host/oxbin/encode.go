package oxbin

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"sort"

	"github.com/fxamacker/cbor/v2"
	"github.com/ox-mcp/ox-mcp/abi"
	"lukechampine.com/blake3"
)

var magic = [6]byte{'o', 'x', 'b', 'i', 'n', 0}

// The versions that the preamble carries.
const (
	formatVersion          = 3
	tierLadderVersion      = 1
	runtimeContractVersion = 1
	preambleSize           = 6 + 2 + 4 + 4 + 4
)

// The section types, and the flags of a directory entry.
const (
	sectionSymbols = 1
	sectionEvents  = 2
	sectionLattice = 3
	sectionTiers   = 4
	sectionRules   = 200
	sectionTests   = 201
	sectionSources = 202
	sectionBuild   = 203

	flagMandatory     = 1
	flagContentHashed = 2
)

type entry struct {
	_      struct{} `cbor:",toarray"`
	Type   uint8
	Flags  uint8
	Length uint64
	Hash   []byte
}

type control struct {
	_           struct{} `cbor:",toarray"`
	Signature   []byte
	Wiring      []byte
	Lattice     []byte
	MaxTier     uint8
	MaxTemporal uint8
	Directory   []entry
}

type wireEvent struct {
	_     struct{} `cbor:",toarray"`
	Kind  string
	Name  string
	Body  []byte
	Lines []int
	Layer string
	From  []int64
	To    []int64
}

func packInstant(at *Instant) []int64 {
	if at == nil {
		return []int64{}
	}
	return []int64{at.Seconds, int64(at.Nanos)}
}

type wireTier struct {
	_        struct{} `cbor:",toarray"`
	Rule     string
	Tier     uint8
	Temporal uint8
}

type wireSource struct {
	_    struct{} `cbor:",toarray"`
	Path string
	Text string
}

type wireBuild struct {
	_         struct{} `cbor:",toarray"`
	Package   string
	Version   string
	Entry     string
	Compiler  string
	Workspace []byte
	Inputs    []wireInput
	TestMode  bool
}

type wireInput struct {
	_    struct{} `cbor:",toarray"`
	Path string
	Hash []byte
}

// encoder returns the deterministic CBOR mode of everything here but the
// program, whose form is the plugin contract's.
func encoder() (cbor.EncMode, error) { return cbor.CoreDetEncOptions().EncMode() }

// Encode returns the file of a, and its hash.
func Encode(a *Artifact) ([]byte, Hash, error) {
	enc, err := encoder()
	if err != nil {
		return nil, Hash{}, err
	}
	events, tiers, sources := []wireEvent{}, []wireTier{}, []wireSource{}
	for _, e := range a.Events {
		lines := e.Lines
		if lines == nil {
			lines = []int{}
		}
		events = append(events, wireEvent{Kind: e.Kind, Name: e.Name, Body: nonNil(e.Body), Lines: lines, Layer: e.Layer, From: packInstant(e.From), To: packInstant(e.To)})
	}
	maxTier, maxTemporal := uint8(0), uint8(0)
	for _, t := range a.Tiers {
		tiers = append(tiers, wireTier{Rule: t.Rule, Tier: t.Tier, Temporal: t.Temporal})
		maxTier, maxTemporal = max(maxTier, t.Tier), max(maxTemporal, t.Temporal)
	}
	for _, s := range a.Sources {
		sources = append(sources, wireSource{Path: s.Path, Text: s.Text})
	}
	inputs := []wireInput{}
	for _, in := range a.Build.Inputs {
		inputs = append(inputs, wireInput{Path: in.Path, Hash: append([]byte(nil), in.Hash[:]...)})
	}
	rules := a.Program
	rules.Tests = nil
	tests := abi.Program{ABI: a.Program.ABI, Tests: a.Program.Tests}
	b := a.Build
	parts := []struct {
		typ  uint8
		body any
	}{
		{sectionSymbols, a.Symbols},
		{sectionEvents, events},
		{sectionLattice, a.Lattice},
		{sectionTiers, tiers},
		{sectionRules, rules.AppendCBOR(nil)},
		{sectionTests, tests.AppendCBOR(nil)},
		{sectionSources, sources},
		{sectionBuild, wireBuild{Package: b.Package, Version: b.Version, Entry: b.Entry, Compiler: b.Compiler, Workspace: b.Workspace[:], Inputs: inputs, TestMode: b.TestMode}},
	}
	var directory []entry
	var bodies [][]byte
	size := 0
	for _, p := range parts {
		body, raw := p.body.([]byte)
		if !raw {
			if body, err = enc.Marshal(p.body); err != nil {
				return nil, Hash{}, fmt.Errorf("oxbin: section %d: %w", p.typ, err)
			}
		}
		sum := sha256.Sum256(body)
		directory = append(directory, entry{Type: p.typ, Flags: flagMandatory | flagContentHashed, Length: uint64(len(body)), Hash: sum[:]})
		bodies = append(bodies, body)
		size += len(body)
	}
	wiring, lattice := wiringHash(a.Events), blake3.Sum256(a.Lattice)
	signature := compositionSignature(wiring, lattice)
	ctl, err := enc.Marshal(control{
		Signature: signature[:], Wiring: wiring[:], Lattice: lattice[:],
		MaxTier: maxTier, MaxTemporal: maxTemporal, Directory: directory,
	})
	if err != nil {
		return nil, Hash{}, fmt.Errorf("oxbin: global-control: %w", err)
	}
	hash, err := artifactHash(enc, signature, directory)
	if err != nil {
		return nil, Hash{}, err
	}
	out := append(make([]byte, 0, preambleSize+len(ctl)+size), magic[:]...)
	out = binary.LittleEndian.AppendUint16(out, formatVersion)
	out = binary.LittleEndian.AppendUint32(out, tierLadderVersion)
	out = binary.LittleEndian.AppendUint32(out, runtimeContractVersion)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(ctl)))
	out = append(out, ctl...)
	for _, b := range bodies {
		out = append(out, b...)
	}
	return out, hash, nil
}

func nonNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// wiringHash covers what a rename or a changed rule changes, and nothing that
// instance data does.
func wiringHash(events []Event) [32]byte {
	var lines []string
	for i := range events {
		if e := &events[i]; e.Structural() {
			id := sha256.Sum256(e.Body)
			lines = append(lines, e.Kind+"\x00"+e.Name+"\x00"+string(id[:]))
		}
	}
	sort.Strings(lines)
	h := blake3.New(32, nil)
	var n [8]byte
	for _, l := range lines {
		binary.LittleEndian.PutUint64(n[:], uint64(len(l)))
		h.Write(n[:])
		h.Write([]byte(l))
	}
	return [32]byte(h.Sum(nil))
}

func compositionSignature(wiring, lattice [32]byte) [32]byte {
	b := append(append([]byte(nil), wiring[:]...), lattice[:]...)
	b = binary.LittleEndian.AppendUint32(b, tierLadderVersion)
	b = binary.LittleEndian.AppendUint32(b, runtimeContractVersion)
	return blake3.Sum256(b)
}

func artifactHash(enc cbor.EncMode, signature [32]byte, directory []entry) (Hash, error) {
	dir, err := enc.Marshal(directory)
	if err != nil {
		return Hash{}, fmt.Errorf("oxbin: directory: %w", err)
	}
	return sha256.Sum256(append(signature[:], dir...)), nil
}
