package engine

import "github.com/ox-mcp/ox-mcp/abi"

// Effort is counted in bindings that steps hand on, and in what takes about as
// long: it is the same everywhere, as fuel is, and one of it is some hundreds of
// units of fuel.
const (
	effortOfTuple = 4   // one that is derived
	effortOfRun   = 25  // one of a plan
	effortOfAtom  = 150 // one that is planned
	effortOfTrial = 500 // a set of changes that is assumed and taken back
	copiedRows    = 4   // that are one of effort
)

// errEnough ends what a search does once that is enough. It names a rule so that
// nobody writes one into it.
var errEnough = &abi.Failure{Code: abi.FailureInternal, Message: "a search was not given up in time", Rule: 0}

// spend counts effort, and ends what runs where that is enough. What cannot be
// left half done, as an assumption or a plan that is made, only adds to it: the
// next binding ends the search.
func (e *Engine) spend(n int) *abi.Failure {
	if e.effort += n; e.effort > e.enough {
		return errEnough
	}
	return nil
}

// allow does something that may take so much effort; over says that it was given
// up. Where it is a part of something with an end of its own that is passed, too,
// f ends that.
func (e *Engine) allow(effort int, do func() *abi.Failure) (over bool, f *abi.Failure) {
	outer := e.enough
	if effort < outer-e.effort {
		e.enough = e.effort + effort
	}
	f = do()
	e.enough = outer
	if f != errEnough {
		return false, f
	}
	for _, c := range e.comps {
		if c.state == failed && c.failure == errEnough {
			c.state, c.failure = stale, nil
		}
	}
	if e.effort > outer {
		return true, errEnough
	}
	return true, nil
}
