package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

// schema is the part of JSON Schema that the tools' inputs are written in.
// Arguments are checked against the very text that clients see.
type schema struct {
	Type        string             `json:"type"`
	Properties  map[string]*schema `json:"properties"`
	Required    []string           `json:"required"`
	Additional  json.RawMessage    `json:"additionalProperties"`
	Items       *schema            `json:"items"`
	Enum        []string           `json:"enum"`
	Minimum     *int64             `json:"minimum"`
	MinLength   int                `json:"minLength"`
	AnyOf       []*schema          `json:"anyOf"`
	Description string             `json:"description"`
	Examples    []json.RawMessage  `json:"examples"`

	order []string // of Properties, as in the text
}

// parseSchema reads an input schema. An unknown keyword is an error, so that
// none is published that is not checked.
func parseSchema(text json.RawMessage) (*schema, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	s := &schema{}
	if err := dec.Decode(s); err != nil {
		return nil, err
	}
	list, err := members(text)
	if err != nil {
		return nil, err
	}
	for _, m := range list {
		if m.name != "properties" {
			continue
		}
		properties, err := members(m.value)
		if err != nil {
			return nil, err
		}
		for _, p := range properties {
			s.order = append(s.order, p.name)
		}
	}
	return s, nil
}

// maxProblems bounds the problems of one call that are listed.
const maxProblems = 20

// checkArguments returns a *runtime.InvalidArguments where args do not fit s.
// Absent arguments are an empty object.
func checkArguments(args json.RawMessage, s *schema) error {
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	c := &checker{}
	if repeated := repeatedMember(args); repeated != "" {
		c.add(repeated, "one value", "two values for the same name", "")
	} else {
		c.check("", args, s)
	}
	if len(c.problems) == 0 {
		return nil
	}
	return &runtime.InvalidArguments{Code: "INVALID_ARGUMENTS", Problems: c.problems}
}

type checker struct{ problems []runtime.Problem }

func (c *checker) add(path, expected, got, nearest string) {
	if len(c.problems) < maxProblems {
		c.problems = append(c.problems, runtime.Problem{Path: path, Expected: expected, Got: got, Nearest: nearest})
	}
}

func (c *checker) check(path string, value json.RawMessage, s *schema) {
	value = bytes.TrimSpace(value)
	if len(s.AnyOf) > 0 {
		c.checkAny(path, value, s)
		return
	}
	if s.Type != "" && !hasType(value, s.Type) {
		c.add(path, s.expected(), got(value), "")
		return
	}
	switch s.Type {
	case "object":
		c.checkObject(path, value, s)
	case "array":
		var items []json.RawMessage
		if json.Unmarshal(value, &items) == nil && s.Items != nil {
			for i, item := range items {
				c.check(fmt.Sprintf("%s[%d]", path, i), item, s.Items)
			}
		}
	case "integer":
		n, err := strconv.ParseInt(string(value), 10, 64)
		if err != nil || s.Minimum != nil && n < *s.Minimum {
			c.add(path, s.expected(), got(value), "")
		}
	case "string":
		var text string
		if json.Unmarshal(value, &text) != nil {
			return
		}
		if len(s.Enum) > 0 && !slices.Contains(s.Enum, text) {
			c.add(path, s.expected(), got(value), runtime.Nearest(text, s.Enum))
		} else if utf8.RuneCountInString(text) < s.MinLength {
			c.add(path, s.expected(), "an empty string", "")
		}
	}
}

// checkAny takes the alternative of the value's type, so that a problem inside
// it is told precisely.
func (c *checker) checkAny(path string, value json.RawMessage, s *schema) {
	for _, a := range s.AnyOf {
		if hasType(value, a.Type) {
			c.check(path, value, a)
			return
		}
	}
	c.add(path, s.expected(), got(value), "")
}

func (c *checker) checkObject(path string, value json.RawMessage, s *schema) {
	list, err := members(value)
	if err != nil {
		c.add(path, s.expected(), got(value), "")
		return
	}
	present := map[string]bool{}
	for _, m := range list {
		present[m.name] = true
		where := join(path, m.name)
		if p, ok := s.Properties[m.name]; ok {
			c.check(where, m.value, p)
			continue
		}
		switch string(s.Additional) {
		case "", "true":
		case "false":
			names := s.names()
			expected := "no arguments"
			if len(names) > 0 {
				expected = "one of " + strings.Join(names, ", ")
			}
			c.add(where, expected, "an unknown name", runtime.Nearest(m.name, names))
		default:
			var rest schema
			if json.Unmarshal(s.Additional, &rest) == nil {
				c.check(where, m.value, &rest)
			}
		}
	}
	for _, name := range s.Required {
		if !present[name] {
			c.add(join(path, name), s.Properties[name].expected(), "nothing", "")
		}
	}
}

func (s *schema) names() []string {
	if len(s.order) > 0 {
		return s.order
	}
	var names []string
	for name := range s.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// expected describes what s takes, with an example where there is one.
func (s *schema) expected() string {
	what := ""
	switch {
	case len(s.Enum) > 0:
		what = "one of " + strings.Join(s.Enum, ", ")
	case len(s.AnyOf) > 0:
		var kinds []string
		for _, a := range s.AnyOf {
			kinds = append(kinds, a.expected())
		}
		what = strings.Join(kinds, " or ")
	case s.Type == "integer" && s.Minimum != nil:
		what = fmt.Sprintf("a whole number from %d on", *s.Minimum)
	case s.Type == "integer":
		what = "a whole number"
	case s.Type == "boolean":
		what = "true or false"
	case s.Type == "array":
		what = "an array"
	case s.Type == "object":
		what = "an object"
	case s.Type == "string" && s.MinLength > 0:
		what = "a string that is not empty"
	case s.Type == "string":
		what = "a string"
	default:
		what = "a value"
	}
	if len(s.Examples) > 0 {
		what += ", such as " + string(s.Examples[0])
	}
	return what
}

// hasType reports whether the JSON value has the type of the schema. A whole
// number is one that is written without fraction and exponent.
func hasType(value json.RawMessage, want string) bool {
	if want == "" {
		return true
	}
	kind := kindOf(value)
	if want == "integer" {
		return kind == "number" && !bytes.ContainsAny(value, ".eE")
	}
	return kind == want
}

func kindOf(value json.RawMessage) string {
	if len(value) == 0 {
		return "nothing"
	}
	switch value[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

// got describes a value in a few words.
func got(value json.RawMessage) string {
	kind := kindOf(value)
	switch kind {
	case "null", "nothing":
		return kind
	case "object", "array":
		return "an " + kind
	}
	const most = 40
	text := string(value)
	if r := []rune(text); len(r) > most {
		text = string(r[:most]) + "…"
	}
	return "the " + kind + " " + text
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// repeatedMember returns the path of the first member whose name its object
// has twice, at any depth, or "". Its value would be silently lost.
func repeatedMember(data []byte) string {
	type level struct {
		seen  map[string]bool // nil in an array
		name  string
		index int
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var stack []level
	path := func() string {
		p := ""
		for _, l := range stack {
			if l.seen == nil {
				p += fmt.Sprintf("[%d]", l.index)
			} else {
				p = join(p, l.name)
			}
		}
		return p
	}
	wantName := false
	after := func() {
		if len(stack) == 0 {
			return
		}
		top := &stack[len(stack)-1]
		top.index++
		wantName = top.seen != nil
	}
	for {
		t, err := dec.Token()
		if err != nil {
			return ""
		}
		switch t {
		case json.Delim('{'):
			stack = append(stack, level{seen: map[string]bool{}})
			wantName = true
			continue
		case json.Delim('['):
			stack = append(stack, level{})
			wantName = false
			continue
		case json.Delim('}'), json.Delim(']'):
			stack = stack[:len(stack)-1]
			after()
			continue
		}
		if !wantName {
			after()
			continue
		}
		top := &stack[len(stack)-1]
		top.name = t.(string)
		if top.seen[top.name] {
			return path()
		}
		top.seen[top.name] = true
		wantName = false
	}
}
