package runtime

import "fmt"

// Error is "could not run".
type Error struct {
	Status  int            `json:"status"` // HTTP status that fits
	Code    string         `json:"code"`
	Message string         `json:"message"`
	Details map[string]any `json:"details,omitempty"`
}

func (e *Error) Error() string { return e.Message }

// InvalidArguments says what is wrong with a call's arguments.
type InvalidArguments struct {
	Code     string    `json:"code"` // INVALID_ARGUMENTS
	Problems []Problem `json:"problems"`
}

// Problem is one wrong argument.
type Problem struct {
	Path     string `json:"path"`
	Expected string `json:"expected"`
	Got      string `json:"got"`
	Nearest  string `json:"nearest,omitempty"`
}

func (e *InvalidArguments) Error() string {
	if len(e.Problems) == 0 {
		return "invalid arguments"
	}
	p := e.Problems[0]
	s := fmt.Sprintf("%s: expected %s, got %s", p.Path, p.Expected, p.Got)
	if p.Nearest != "" {
		s += fmt.Sprintf(" (did you mean %s?)", p.Nearest)
	}
	return s
}

// Invalid returns an InvalidArguments with one problem.
func Invalid(path, expected, got, nearest string) error {
	return &InvalidArguments{Code: "INVALID_ARGUMENTS", Problems: []Problem{{path, expected, got, nearest}}}
}
