package sandbox

import (
	"context"
	"errors"
	"slices"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox/rewrite"
)

// Inspection is what there is to know of a module before it is trusted with
// anything. Where it was refused, only what was found until then is set.
type Inspection struct {
	Bytes        int
	Hash         string   // BLAKE3-256 of the module as it came
	MeteredHash  string   // with no grant but those that it needs
	World        string   // that its exports fit; empty: none
	Exports      []string // functions, with their types
	Imports      []string // of the plugin contract, by the names of their grants
	Wants        []string // grants that it can do without, and uses where it has them
	GrantedHash  string   // MeteredHash with these; empty: there are none
	MemoryMin    uint64   // bytes
	Snapshotable bool
	Keep         string // why instances cannot be cloned
	Description  abi.Description
	Refusal      *AdmissionError // nil: it is admitted
}

// Inspect admits a module for the world that its exports fit, under every
// grant that there is, and forgets it again. The error is one of the cache
// folder: a refusal is part of the Inspection.
func (h *Host) Inspect(ctx context.Context, name string, wasm []byte, limits abi.Limits) (*Inspection, error) {
	out := &Inspection{Bytes: len(wasm), Hash: digest(wasm), Exports: []string{}, Imports: []string{}, Wants: []string{}}
	all := []string{abi.GrantLog, abi.GrantFacts, abi.GrantKernel}
	options := AdmitOptions{Grants: all, Limits: limits}
	m, err := h.Admit(ctx, name, wasm, options)
	if err != nil {
		return out, out.refuse(err)
	}
	out.describe(m)
	if err := m.Close(ctx); err != nil {
		return nil, err
	}
	if err := h.grantsOf(ctx, name, wasm, options, out); err != nil {
		return nil, err
	}
	if out.World == "" {
		return out, nil
	}
	options.World = out.World
	if m, err = h.Admit(ctx, name, wasm, options); err != nil {
		return out, out.refuse(err)
	}
	out.Description = m.Description()
	return out, m.Close(ctx)
}

func (i *Inspection) refuse(err error) error {
	if errors.As(err, &i.Refusal) {
		return nil
	}
	return err
}

func (i *Inspection) describe(m *Module) {
	i.MeteredHash = m.meteredHash
	i.MemoryMin = uint64(m.rewritten.MemoryMin) * rewrite.PageBytes
	i.Snapshotable, i.Keep = m.Snapshotable()
	for name, signature := range m.rewritten.Exports {
		i.Exports = append(i.Exports, name+" "+string(signature))
	}
	slices.Sort(i.Exports)
	switch {
	case m.Exports(abi.ExportEvaluate):
		i.World = abi.WorldEvaluator
	case m.Exports(abi.ExportLoad):
		i.World = abi.WorldReasoner
	}
}

// grantsOf finds the grants without which the module is refused, and those
// without which it is another.
func (h *Host) grantsOf(ctx context.Context, name string, wasm []byte, o AdmitOptions, out *Inspection) error {
	all, whole := o.Grants, out.MeteredHash
	for _, g := range all {
		o.Grants = slices.DeleteFunc(slices.Clone(all), func(x string) bool { return x == g })
		hash, err := h.meteredWith(ctx, name, wasm, o)
		var refused *AdmissionError
		switch {
		case errors.As(err, &refused) && refused.Code == rewrite.CodeImport:
			out.Imports = append(out.Imports, g)
		case err != nil && refused == nil:
			return err
		case err == nil && hash != whole:
			out.Wants = append(out.Wants, g)
		}
	}
	slices.Sort(out.Imports)
	if len(out.Wants) == 0 {
		return nil
	}
	if slices.Sort(out.Wants); out.World == abi.WorldEvaluator {
		// It may name kernels, and is never given them.
		out.Wants = slices.DeleteFunc(out.Wants, func(g string) bool { return g == abi.GrantKernel })
	}
	if o.Grants = out.Imports; len(out.Wants) > 0 {
		out.GrantedHash = whole
	}
	hash, err := h.meteredWith(ctx, name, wasm, o)
	out.MeteredHash = hash
	return err
}

// meteredWith is the hash of a module that is admitted for a moment.
func (h *Host) meteredWith(ctx context.Context, name string, wasm []byte, o AdmitOptions) (string, error) {
	m, err := h.Admit(ctx, name, wasm, o)
	if err != nil {
		return "", err
	}
	return m.MeteredHash(), m.Close(ctx)
}
