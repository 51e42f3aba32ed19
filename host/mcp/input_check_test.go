package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

func problemsOf(t *testing.T, tool, args string) []runtime.Problem {
	t.Helper()
	for _, known := range tools() {
		if known.name != tool {
			continue
		}
		s, err := parseSchema(known.input)
		if err != nil {
			t.Fatal(err)
		}
		err = checkArguments(json.RawMessage(args), s)
		if err == nil {
			return nil
		}
		var invalid *runtime.InvalidArguments
		if !errors.As(err, &invalid) || invalid.Code != "INVALID_ARGUMENTS" {
			t.Fatalf("got %v", err)
		}
		return invalid.Problems
	}
	t.Fatalf("there is no tool %s", tool)
	return nil
}

func TestArgumentsThatDoNotFit(t *testing.T) {
	type problem = runtime.Problem
	tests := []struct {
		name, tool, args string
		want             []problem
	}{
		{"missing", "argon_query", `{}`, []problem{{Path: "name", Expected: `a string that is not empty, such as "exposed_modules"`, Got: "nothing"}}},
		{"absent altogether", "argon_query", ``, []problem{{Path: "name", Expected: `a string that is not empty, such as "exposed_modules"`, Got: "nothing"}}},
		{"empty", "argon_query", `{"name":""}`, []problem{{Path: "name", Expected: `a string that is not empty, such as "exposed_modules"`, Got: "an empty string"}}},
		{"no object", "argon_query", `["q"]`, []problem{{Path: "", Expected: "an object", Got: "an array"}}},
		{"misspelt", "argon_compute", `{"name":"f","as_of":{}}`, []problem{{Path: "as_of", Expected: "one of name, args, asOf, fork, limits", Got: "an unknown name", Nearest: "asOf"}}},
		{"unlike any", "argon_compute", `{"name":"f","zzzzzzzz":1}`, []problem{{Path: "zzzzzzzz", Expected: "one of name, args, asOf, fork, limits", Got: "an unknown name"}}},
		{"of a tool without arguments", "argon_status", `{"x":1}`, []problem{{Path: "x", Expected: "no arguments", Got: "an unknown name"}}},
		{"other case", "argon_compute", `{"Name":"f"}`, []problem{
			{Path: "Name", Expected: "one of name, args, asOf, fork, limits", Got: "an unknown name", Nearest: "name"},
			{Path: "name", Expected: `a string that is not empty, such as "late_fee"`, Got: "nothing"},
		}},
		{"wrong type", "argon_query", `{"name":5}`, []problem{{Path: "name", Expected: `a string that is not empty, such as "exposed_modules"`, Got: "the number 5"}}},
		{"null", "argon_query", `{"name":"q","fork":null}`, []problem{{Path: "fork", Expected: `a string, such as "what_if"`, Got: "null"}}},
		{"args as text", "argon_query", `{"name":"q","args":"{\"a\":1}"}`, []problem{{Path: "args", Expected: `an object, such as {"who":"alice","amount":"12.50"}`, Got: `the string "{\"a\":1}"`}}},
		{"nested unknown", "argon_query", `{"name":"q","page":{"limt":5}}`, []problem{{Path: "page.limt", Expected: "one of cursor, limit", Got: "an unknown name", Nearest: "limit"}}},
		{"a fraction", "argon_query", `{"name":"q","page":{"limit":1.5}}`, []problem{{Path: "page.limit", Expected: "a whole number from 1 on, such as 50", Got: "the number 1.5"}}},
		{"too small", "argon_query", `{"name":"q","page":{"limit":0}}`, []problem{{Path: "page.limit", Expected: "a whole number from 1 on, such as 50", Got: "the number 0"}}},
		{"too large", "argon_query", `{"name":"q","limits":{"fuel":99999999999999999999}}`, []problem{{Path: "limits.fuel", Expected: "a whole number from 1 on", Got: "the number 99999999999999999999"}}},
		{"item", "argon_query", `{"name":"q","standpoints":["a",1]}`, []problem{{Path: "standpoints[1]", Expected: "a string", Got: "the number 1"}}},
		{"choice", "argon_build", `{"onIncompatible":"discrad"}`, []problem{{Path: "onIncompatible", Expected: `one of refuse, discard, such as "refuse"`, Got: `the string "discrad"`, Nearest: "discard"}}},
		{"boolean as text", "argon_mutate", `{"name":"m","dryRun":"yes"}`, []problem{{Path: "dryRun", Expected: "true or false, such as true", Got: `the string "yes"`}}},
		{"fact of neither form", "argon_explain_fact", `{"fact":7}`, []problem{{Path: "fact", Expected: `a string that is not empty or an object, such as "reach(a, c)"`, Got: "the number 7"}}},
		{"fact without tuple", "argon_explain_fact", `{"fact":{"head":"h"}}`, []problem{{Path: "fact.tuple", Expected: "an array", Got: "nothing"}}},
		{"twice", "argon_query", `{"name":"q","name":"r"}`, []problem{{Path: "name", Expected: "one value", Got: "two values for the same name"}}},
		{"twice under another spelling", "argon_query", `{"name":"q","n\u0061me":"r"}`, []problem{{Path: "name", Expected: "one value", Got: "two values for the same name"}}},
		{"twice deep inside", "argon_query", `{"name":"q","args":{"l":[1,{"a":1,"b":{},"a":2}]}}`, []problem{{Path: "args.l[1].a", Expected: "one value", Got: "two values for the same name"}}},
		{"overlay of no text", "argon_check", `{"overlay":{"a.ar":1}}`, []problem{{Path: "overlay.a.ar", Expected: "a string", Got: "the number 1"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := problemsOf(t, tt.tool, tt.args); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got\n%+v\nwant\n%+v", got, tt.want)
			}
		})
	}
}

func TestArgumentsThatFit(t *testing.T) {
	for tool, args := range map[string]string{
		"argon_query":        `{"name":"q","args":{"a":{"x":1},"b":[{"x":1},{"x":2}],"c":null}}`,
		"argon_derive":       ` { "name" : "q" , "page" : { "limit" : 1 } } `,
		"argon_explain_fact": `{"fact":{"head":"h","tuple":["a",1,-2.5,true,{"id":"b"},[1],null]}}`,
		"argon_check":        `{"overlay":{}}`,
		"argon_status":       ``,
	} {
		if got := problemsOf(t, tool, args); got != nil {
			t.Errorf("%s %s: %+v", tool, args, got)
		}
	}
}

func TestAllProblemsAreTold(t *testing.T) {
	if got := problemsOf(t, "argon_query", `{"nme":"q","fork":1,"projectK3":"no"}`); len(got) != 4 {
		t.Errorf("got %+v, want four problems", got)
	}
	var b strings.Builder
	b.WriteString(`{"name":"q"`)
	for i := range 100 {
		fmt.Fprintf(&b, `,"unknown%d":1`, i)
	}
	b.WriteString("}")
	if got := problemsOf(t, "argon_query", b.String()); len(got) != maxProblems {
		t.Errorf("got %d problems, want the first %d", len(got), maxProblems)
	}
}

func TestALongValueIsNotRepeated(t *testing.T) {
	got := problemsOf(t, "argon_query", `{"name":"q","projectK3":"`+strings.Repeat("é", 5000)+`"}`)
	if len(got) != 1 || len(got[0].Got) > 200 {
		t.Errorf("got %+v", got)
	}
}

func TestExpandNeedsOneOfNodeAndFact(t *testing.T) {
	w := startWire(t, &fakeService{}, Options{})
	w.initialize(newest)
	for _, args := range []string{`{}`, `{"nodeId":"n","fact":"r(a)"}`} {
		w.send(call("c", "argon_expand_proof", args))
		if a := w.receive().tool(t); !a.IsError || !strings.Contains(string(a.StructuredContent), "a nodeId, or a fact") {
			t.Errorf("%s: got %s", args, a.StructuredContent)
		}
	}
}

func TestNearest(t *testing.T) {
	names := []string{"name", "args", "fork", "asOf", "standpoints", "projectK3"}
	for got, want := range map[string]string{
		"nmae": "name", "nam": "name", "AS_OF": "asOf", "standpoint": "standpoints", "project_k3": "projectK3",
		"frok": "fork", "zzzz": "", "": "", "q": "", strings.Repeat("name", 100): "",
	} {
		if n := runtime.Nearest(got, names); n != want {
			t.Errorf("runtime.Nearest(%q) = %q, want %q", got, n, want)
		}
	}
	if runtime.Nearest("x", nil) != "" {
		t.Error("there is something near among nothing")
	}
}

// FuzzArguments checks any arguments against every tool: a problem or a call,
// never a panic, and never a call that its request cannot hold.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{
		``, `null`, `{}`, `{"name":"q"}`, `{"name":"q","args":{"a":[1,{"b":2}]}}`, `{"fact":{"head":"h","tuple":[1]}}`,
		`{"nodeId":"n","alternative":1}`, `{"name":"q","page":{"limit":9223372036854775807}}`, `{"a":1,"a":2}`, `{"asOf":{"tt":-1}}`,
		`{"overlay":{"a":"b"}}`, `{"limits":{"fuel":1}}`, `{"body":"x","args":{"":0}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 0 && !json.Valid(data) {
			return // the transport keeps it away
		}
		svc := &fakeService{on: func(context.Context, any) (any, error) { return nil, errReached }}
		for _, tool := range tools() {
			s, err := parseSchema(tool.input)
			if err != nil {
				t.Fatal(err)
			}
			if checkArguments(data, s) != nil {
				continue
			}
			var invalid *runtime.InvalidArguments
			if _, err := tool.call(t.Context(), svc, data); !errors.Is(err, errReached) && !errors.As(err, &invalid) {
				t.Fatalf("%s %s: %v", tool.name, data, err)
			}
		}
	})
}

var errReached = errors.New("the operation was reached")
