package runtime

import (
	"errors"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/governor"
)

// stage is a part of a call whose work the caller did not ask for by itself:
// what to do about its limits is another thing than for the call's own work.
type stage int

const (
	stageLoad    stage = iota // the module is loaded or the log replayed, within limits of their own
	stageAhead                // a write is judged by what is planned
	stageRefuted              // standpoints are asked what they refute
)

// stageError is a failure at a stage.
type stageError struct {
	stage stage
	err   error
}

func (e *stageError) Error() string { return e.stage.where() + ": " + e.err.Error() }
func (e *stageError) Unwrap() error { return e.err }

// at marks a failure as one of a stage, unless it is of another already.
func (s stage) at(err error) error {
	var known *stageError
	if err == nil || errors.As(err, &known) {
		return err
	}
	return &stageError{s, err}
}

// loads reports whether an error is of loading.
func loads(err error) bool {
	var at *stageError
	return errors.As(err, &at) && at.stage == stageLoad
}

func (s stage) where() string {
	switch s {
	case stageAhead:
		return "while judging the write by what is planned for later"
	case stageRefuted:
		return "while asking the standpoints what they speak against"
	}
	return "while loading the module and its facts"
}

// explainStage puts into the payload of a limit what to do about it at the stage,
// and returns where in the call that was; it is empty for a failure at no stage.
func explainStage(limit *governor.LimitExceeded, err error) (where string) {
	var at *stageError
	if limit == nil || !errors.As(err, &at) {
		return ""
	}
	if remedy := at.stage.remedy(limit.Limit); remedy != "" {
		limit.Remedy = remedy
	}
	return " " + at.stage.where()
}

// remedy says what to do where a limit is passed at the stage; empty: what is
// said of the limit elsewhere.
func (s stage) remedy(limit string) string {
	switch {
	case s == stageLoad && limit == abi.LimitFuel:
		return "The module and its facts are too much to load within this. Declare fewer facts, or the operator can raise limits.loadFuel."
	case s == stageAhead && limit == abi.LimitFuel:
		return "A write is judged at each later instant at which something planned begins or ends while what it writes holds. Let it end earlier (`at` with an end), or plan fewer changes; if they are meant, the operator can raise limits.fuel."
	case s == stageRefuted && (limit == abi.LimitFuel || limit == abi.LimitDerived || limit == abi.LimitOutput):
		setting := map[string]string{abi.LimitFuel: "limits.fuel", abi.LimitDerived: "limits.derived", abi.LimitOutput: "limits.outputBytes"}[limit]
		return "What the query reads is compared in all of its standpoints. Bind a parameter, so that less of it matters, or ask fewer standpoints; if this much is meant, the operator can raise " + setting + "."
	}
	return ""
}
