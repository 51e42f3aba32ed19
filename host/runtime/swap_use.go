package runtime

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
)

// UseRequest makes a build the operator's reasoner.
type UseRequest struct {
	File       string // or EmbeddedReasoner
	AcceptDiff bool   // a running server need not keep the old build for answers that differ
}

// UseResult is the answer of Use.
type UseResult struct {
	SwapResult
	Table string `json:"table,omitempty"` // TOML, as recorded
	Wrote string `json:"wrote,omitempty"` // file
}

// Use tries a reasoner as a swap does, against the module of this service if
// there is one, and then records it with its pin in the operator's own
// configuration: a running server swaps when that changes. A build that is not
// good enough is not recorded.
func (s *Service) Use(ctx context.Context, req UseRequest) (*UseResult, error) {
	if s.cfg.Project != nil {
		// There is something to compare on only if the package builds.
		if _, _, err := s.refresh(ctx); err != nil {
			return nil, err
		}
	}
	swap, err := s.Swap(ctx, s.ReasonerSource(req.File), SwapOptions{AcceptDiff: req.AcceptDiff})
	if err != nil {
		return nil, err
	}
	res := &UseResult{SwapResult: *swap}
	if swap.Outcome == SwapKept {
		return res, nil
	}
	if req.File != EmbeddedReasoner {
		file, err := filepath.Abs(req.File)
		if err != nil {
			return nil, &Error{Status: 400, Code: "PLUGIN_UNAVAILABLE", Message: err.Error()}
		}
		hash := swapped(swap, s).Blake3
		lines := []string{"[reasoner]", "path = " + quoteTOML(file), fmt.Sprintf("blake3 = %q", hash)}
		if given := s.cfg.Settings.List("reasoner.grants"); len(given) > 0 {
			lines = append(lines, fmt.Sprintf("grants = [\"%s\"]", strings.Join(given, `", "`)))
		}
		if req.AcceptDiff {
			lines = append(lines, fmt.Sprintf("acceptDiff = %q", hash))
		}
		res.Table = strings.Join(lines, "\n") + "\n"
	}
	if err := recordTable(s.cfg.UserFile, "reasoner", res.Table); err != nil {
		return nil, &Error{Status: 500, Code: "PIN_UNWRITABLE", Message: err.Error()}
	}
	res.Wrote = s.cfg.UserFile
	return res, nil
}

// swapped is the build that serves after a swap.
func swapped(r *SwapResult, s *Service) Build {
	if r.To != nil {
		return *r.To
	}
	return Build{Blake3: PinOf(s.reasonerNow().source.Wasm)}
}
