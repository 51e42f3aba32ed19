package runtime

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ox-mcp/ox-mcp/host/coherence"
)

// lockMode says what a build does with the lock file.
type lockMode int

const (
	lockAsIs   lockMode = iota // of a build that a read started: it writes only the artifact
	lockWrite                  // of a build that was asked for
	lockCheck                  // of a frozen build: it must be there and fit
	lockHonour                 // of a frozen read: it must fit if it is there
)

// judge refuses a build whose packages are not the locked ones.
func (mode lockMode) judge(p *coherence.Project, now *coherence.LockFile) (Outcome, error) {
	if now == nil || mode == lockAsIs || mode == lockWrite {
		return Outcome{}, nil
	}
	refused := func(what string) Outcome {
		return Outcome{
			Code: CodeLockMismatch, NextStep: &NextStep{Tool: "argon_build", Arguments: map[string]any{}},
			Message: "nothing was written: " + what + ". If that is meant, run `ox-mcp build` and commit ox.lock",
		}
	}
	locked, err := p.ReadLock()
	switch {
	case errors.Is(err, coherence.ErrNoLock):
		if mode == lockHonour {
			return Outcome{}, nil
		}
		return refused("a frozen build needs ox.lock, and there is none"), nil
	case err != nil:
		return refused(err.Error()), nil
	}
	if list := locked.Differences(now); len(list) > 0 {
		return refused(fmt.Sprintf("the packages are not those of ox.lock: %s", strings.Join(list, "; "))), nil
	}
	return Outcome{}, nil
}
