package coherence

import (
	"fmt"

	"github.com/fxamacker/cbor/v2"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
	"github.com/ox-mcp/ox-mcp/host/oxbin"
)

// wireStandpoint is an entry of the standpoint lattice.
type wireStandpoint struct {
	_       struct{} `cbor:",toarray"`
	Name    string
	Parents []string
}

// packLattice returns the body of the lattice's section.
func packLattice(enc cbor.EncMode, list []lower.Standpoint) ([]byte, error) {
	if len(list) == 0 {
		return nil, nil
	}
	var out []wireStandpoint
	for _, s := range list {
		out = append(out, wireStandpoint{Name: s.Name, Parents: append([]string{}, s.Parents...)})
	}
	body, err := enc.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("pack the standpoints: %w", err)
	}
	return body, nil
}

// UnpackLattice reads the standpoints of an artifact. One with a circle, or
// with facts of a standpoint that is not in it, is refused.
func UnpackLattice(a *oxbin.Artifact) ([]lower.Standpoint, error) {
	var wire []wireStandpoint
	if len(a.Lattice) > 0 {
		dec, err := cbor.DecOptions{DupMapKey: cbor.DupMapKeyEnforcedAPF, IndefLength: cbor.IndefLengthForbidden}.DecMode()
		if err != nil {
			return nil, err
		}
		if err := dec.Unmarshal(a.Lattice, &wire); err != nil {
			return nil, &oxbin.Error{Code: oxbin.CodeMalformed, Message: fmt.Sprintf("the standpoint lattice does not parse: %v; build the package again", err)}
		}
	}
	var out []lower.Standpoint
	waits := map[string]int{} // parents that are not settled yet
	children := map[string][]string{}
	for _, s := range wire {
		out = append(out, lower.Standpoint{Name: s.Name, Parents: s.Parents})
		waits[s.Name] = len(s.Parents)
		for _, up := range s.Parents {
			children[up] = append(children[up], s.Name)
		}
	}
	var settled []string
	for _, s := range out {
		for _, up := range s.Parents {
			if _, ok := waits[up]; !ok {
				return nil, &oxbin.Error{Code: oxbin.CodeSymbols, Message: fmt.Sprintf("the standpoint %s is below %s, which the artifact does not have; build the package again", s.Name, up)}
			}
		}
		if len(s.Parents) == 0 {
			settled = append(settled, s.Name)
		}
	}
	for at := 0; at < len(settled); at++ {
		for _, down := range children[settled[at]] {
			if waits[down]--; waits[down] == 0 {
				settled = append(settled, down)
			}
		}
	}
	if len(settled) < len(out) {
		return nil, &oxbin.Error{Code: oxbin.CodeLattice, Message: "the standpoints of the artifact stand in a circle; build the package again"}
	}
	for i := range a.Events {
		layer := a.Events[i].Layer
		if _, ok := waits[layer]; !ok && layer != "" {
			return nil, &oxbin.Error{Code: oxbin.CodeSymbols, Message: fmt.Sprintf("facts are declared in the standpoint %s, which the artifact does not have; build the package again", layer)}
		}
	}
	return out, nil
}
