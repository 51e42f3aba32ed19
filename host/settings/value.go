package settings

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Value is a setting's value. Which field counts follows from the Kind: Int
// holds numbers (bytes, nanoseconds of a Duration), Text a String or Enum.
type Value struct {
	Bool bool
	Int  int64
	Text string
	List []string
}

// Parse reads a value of s from its text form and checks it against the
// bounds and choices.
func (s *Setting) Parse(text string) (Value, error) {
	switch s.Kind {
	case Bool:
		switch strings.ToLower(text) {
		case "true", "1", "yes", "on":
			return Value{Bool: true}, nil
		case "false", "0", "no", "off":
			return Value{}, nil
		}
		return Value{}, s.bad(text, "true or false")
	case Int:
		n, err := strconv.ParseInt(strings.ReplaceAll(text, "_", ""), 10, 64)
		if err != nil {
			return Value{}, s.bad(text, "a whole number")
		}
		return s.bounded(n)
	case Bytes:
		n, ok := parseBytes(text)
		if !ok {
			return Value{}, s.bad(text, "a whole number of bytes, or one with KiB, MiB or GiB after it")
		}
		return s.bounded(n)
	case Duration:
		d, err := time.ParseDuration(text)
		if err != nil {
			return Value{}, s.bad(text, `a duration such as "30s" or "1m30s"`)
		}
		return s.bounded(int64(d))
	case Enum:
		if !slices.Contains(s.Choices, text) {
			return Value{}, s.bad(text, "one of "+strings.Join(s.Choices, ", "))
		}
		return Value{Text: text}, nil
	case List:
		return s.words(strings.Split(text, ","))
	}
	return Value{Text: text}, nil
}

// Accept takes a value as a TOML or JSON decoder gives it: bool, int64,
// string, or a list of strings. Floating point numbers are refused, so no
// integer loses digits on its way.
func (s *Setting) Accept(raw any) (Value, error) {
	switch v := raw.(type) {
	case string:
		return s.Parse(v)
	case bool:
		if s.Kind == Bool {
			return Value{Bool: v}, nil
		}
		return Value{}, s.bad(strconv.FormatBool(v), "a value of kind "+s.Kind.String())
	case int64:
		if s.Kind == Int || s.Kind == Bytes {
			return s.bounded(v)
		}
		want := "a value of kind " + s.Kind.String()
		if s.Kind == Duration {
			want = `a text such as "30s"`
		}
		return Value{}, s.bad(strconv.FormatInt(v, 10), want)
	case []any:
		if s.Kind != List {
			break
		}
		words := make([]string, len(v))
		for i, w := range v {
			text, ok := w.(string)
			if !ok {
				return Value{}, s.bad(fmt.Sprint(w), "a list of strings")
			}
			words[i] = text
		}
		return s.words(words)
	}
	return Value{}, s.bad(fmt.Sprint(raw), "a value of kind "+s.Kind.String())
}

// Format writes a value in a form that Parse reads back.
func (s *Setting) Format(v Value) string {
	switch s.Kind {
	case Bool:
		return strconv.FormatBool(v.Bool)
	case Int:
		return strconv.FormatInt(v.Int, 10)
	case Bytes:
		return formatBytes(v.Int)
	case Duration:
		return time.Duration(v.Int).String()
	case List:
		return strings.Join(v.List, ",")
	}
	return v.Text
}

func (s *Setting) words(words []string) (Value, error) {
	var list []string
	for _, w := range words {
		w = strings.TrimSpace(w)
		if w == "" || slices.Contains(list, w) {
			continue
		}
		if len(s.Choices) > 0 && !slices.Contains(s.Choices, w) {
			return Value{}, s.bad(w, "one of "+strings.Join(s.Choices, ", ")+elsewhere(w))
		}
		list = append(list, w)
	}
	return Value{List: list}, nil
}

// elsewhere names the list that has a word among its choices.
func elsewhere(word string) string {
	for _, s := range All {
		if s.Kind == List && slices.Contains(s.Choices, word) {
			return fmt.Sprintf("; %s is a word of the setting %s (%s)", word, s.Key, s.Env())
		}
	}
	return ""
}

func (s *Setting) bounded(n int64) (Value, error) {
	if n < s.Min || n > s.Max {
		return Value{}, fmt.Errorf("setting %s: %s is outside %s to %s", s.Key,
			s.Format(Value{Int: n}), s.Format(Value{Int: s.Min}), s.Format(Value{Int: s.Max}))
	}
	return Value{Int: n}, nil
}

func (s *Setting) bad(text, want string) error {
	if len(text) > 60 {
		text = text[:60] + "…"
	}
	return fmt.Errorf("setting %s: %q is not %s", s.Key, text, want)
}

func parseBytes(text string) (int64, bool) {
	unit := int64(1)
	for _, u := range [...]struct {
		suffix string
		size   int64
	}{{"KiB", kib}, {"MiB", mib}, {"GiB", gib}, {"B", 1}} {
		if rest, ok := strings.CutSuffix(text, u.suffix); ok {
			text, unit = strings.TrimSpace(rest), u.size
			break
		}
	}
	n, err := strconv.ParseInt(strings.ReplaceAll(text, "_", ""), 10, 64)
	if err != nil || n > math.MaxInt64/unit || n < math.MinInt64/unit {
		return 0, false
	}
	return n * unit, true
}

func formatBytes(n int64) string {
	switch {
	case n != 0 && n%gib == 0:
		return strconv.FormatInt(n/gib, 10) + "GiB"
	case n != 0 && n%mib == 0:
		return strconv.FormatInt(n/mib, 10) + "MiB"
	case n != 0 && n%kib == 0:
		return strconv.FormatInt(n/kib, 10) + "KiB"
	}
	return strconv.FormatInt(n, 10) + "B"
}
