package main

import (
	"encoding/json"
	"fmt"
)

// What the demonstration reads of the tools' answers.

type refusal struct {
	Code           string   `json:"code"`
	Message        string   `json:"message"`
	DiagnosticCode []string `json:"diagnostic_codes"`
	LimitExceeded  *struct {
		Limit   string      `json:"limit"`
		Allowed json.Number `json:"allowed"`
		Used    json.Number `json:"used"`
		Remedy  string      `json:"remedy"`
	} `json:"limit_exceeded"`
	ModuleHash string `json:"moduleHash"`
}

type status struct {
	refusal
	Loaded      string   `json:"loadedModuleHash"`
	OnDisk      string   `json:"onDiskOxbinHash"`
	Dirty       bool     `json:"sourceDirty"`
	DirtyInputs []string `json:"dirtyInputs"`
	NextStep    *struct {
		Tool string `json:"tool"`
	} `json:"nextStep"`
	Limits map[string]json.Number `json:"limits"`
	Stamp  json.Number            `json:"stamp"`
}

type diagnostic struct {
	Code     string `json:"code"`
	Severity string `json:"severity"`
	Message  string `json:"message"`
	Help     string `json:"help"`
	Range    *struct {
		File  string `json:"file"`
		Start struct {
			Line   int `json:"line"`
			Column int `json:"column"`
		} `json:"start"`
	} `json:"range"`
}

type checked struct {
	refusal
	Diagnostics []diagnostic `json:"diagnostics"`
	Summary     struct {
		Errors   int `json:"errors"`
		Warnings int `json:"warnings"`
		Files    int `json:"files"`
	} `json:"summary"`
}

type built struct {
	refusal
	OK           bool         `json:"ok"`
	Wrote        string       `json:"wroteOxbin"`
	Reloaded     bool         `json:"reloaded"`
	GateFailures []diagnostic `json:"gateFailures"`
}

type rows struct {
	refusal
	Name    string `json:"name"`
	Columns []struct {
		Name string `json:"name"`
	} `json:"columns"`
	Rows []struct {
		Values []any  `json:"values"`
		Truth  string `json:"truth4"`
	} `json:"rows"`
	Total int `json:"total"`
}

type explained struct {
	refusal
	Derived  bool   `json:"derived"`
	Rendered string `json:"rendered"`
}

type mutated struct {
	refusal
	Receipt *struct {
		Stamp  int64 `json:"tt"`
		Events int   `json:"events"`
	} `json:"receipt"`
	Minted []struct {
		ID      string `json:"id"`
		Concept string `json:"concept"`
	} `json:"minted"`
	Delta []struct {
		Head    string  `json:"head"`
		Added   [][]any `json:"added"`
		Removed [][]any `json:"removed"`
	} `json:"derivedDelta"`
	Observed []diagnostic `json:"observed"`
	Trace    []struct {
		Check    string `json:"check"`
		Code     string `json:"code"`
		Message  string `json:"message"`
		Rendered string `json:"rendered"`
	} `json:"trace"`
}

type tested struct {
	refusal
	Tests []struct {
		Name    string `json:"name"`
		Outcome string `json:"outcome"`
	} `json:"tests"`
	Summary struct {
		Passed int `json:"passed"`
		Failed int `json:"failed"`
		Errors int `json:"errors"`
	} `json:"summary"`
}

// cell prints a value of an answer: an individual by its name, an enum
// constant by its tag.
func (s *stage) cell(v any) string {
	if m, ok := v.(map[string]any); ok {
		for _, key := range []string{"name", "tag"} {
			if text, ok := m[key].(string); ok {
				return text
			}
		}
		if id, ok := m["id"].(string); ok {
			if name, ok := s.minted[id]; ok {
				return name
			}
			return id
		}
	}
	return fmt.Sprint(v)
}

func (s *stage) cells(values []any) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = s.cell(v)
	}
	return out
}

// shortID is how many of an id's last characters tell individuals apart for a
// person.
const shortID = 6

func (s *stage) name(id, concept string) {
	s.minted[id] = short(concept) + "#" + id[max(0, len(id)-shortID):]
}
