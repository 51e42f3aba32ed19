package load

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
)

// table returns the table under the last part of key, nil if there is none.
func (r *manifestReader) table(tree map[string]any, key ...string) map[string]any {
	v, ok := tree[key[len(key)-1]]
	if !ok {
		return nil
	}
	t, ok := v.(map[string]any)
	if !ok {
		r.wrong(key, fmt.Sprintf("%s is a table, not %s", strings.Join(key, "."), kindOf(v)))
	}
	return t
}

func (r *manifestReader) text(tree map[string]any, key ...string) string {
	v, ok := tree[key[len(key)-1]]
	if !ok {
		return ""
	}
	s, ok := v.(string)
	if !ok {
		r.wrong(key, fmt.Sprintf("%s is a text, not %s", strings.Join(key, "."), kindOf(v)))
	}
	return s
}

func (r *manifestReader) bool(tree map[string]any, key ...string) bool {
	v := tree[key[len(key)-1]]
	b, ok := v.(bool)
	if !ok {
		r.wrong(key, fmt.Sprintf("%s is true or false, not %s", strings.Join(key, "."), kindOf(v)))
	}
	return b
}

func (r *manifestReader) texts(tree map[string]any, key ...string) []string {
	v, ok := tree[key[len(key)-1]]
	if !ok {
		return nil
	}
	var texts []string
	items, ok := v.([]any)
	for _, item := range items {
		s, isText := item.(string)
		ok = ok && isText
		texts = append(texts, s)
	}
	if !ok {
		r.wrong(key, fmt.Sprintf("%s is a list of texts", strings.Join(key, ".")))
		return nil
	}
	return texts
}

func (r *manifestReader) world(tree map[string]any, key ...string) bool {
	switch s := r.text(tree, key...); s {
	case "", "closed":
		return false
	case "open":
		return true
	default:
		r.wrong(key, fmt.Sprintf(`%s is "closed" or "open", not %q`, strings.Join(key, "."), s))
		return false
	}
}

// unknown warns of the keys of a table that nothing reads.
func (r *manifestReader) unknown(tree map[string]any, kind string, key ...string) {
	known := manifestKeys[kind]
	for _, k := range slices.Sorted(maps.Keys(tree)) {
		if slices.Contains(known, k) {
			continue
		}
		d := diag.Diagnostic{Code: "OW1250", Severity: diag.Warning,
			Place:   r.doc.place(append(slices.Clone(key), k)...),
			Message: fmt.Sprintf("nothing reads the key %q", strings.Join(append(slices.Clone(key), k), "."))}
		if near, ok := diag.Nearest(k, known); ok {
			d.Help = fmt.Sprintf("did you mean %q?", near)
			d.Fix = &diag.Fix{Title: "rename the key to " + near, Edits: []diag.Edit{{Place: d.Place, Text: near}}}
		} else if other := tableOf(k); other != "" && kind != "" {
			d.Help = fmt.Sprintf("it is a key of [%s]", other)
		} else {
			d.Help = "the keys here are " + strings.Join(known, ", ")
		}
		r.diags.Add(d)
	}
}

// tableOf names the table that says what a package is and takes the key, or "".
func tableOf(key string) string {
	for _, table := range []string{"package", "project"} {
		if slices.Contains(manifestKeys[table], key) {
			return table
		}
	}
	return ""
}

func (r *manifestReader) wrong(key []string, message string, help ...string) {
	d := diag.Diagnostic{Code: "OE1261", Place: r.doc.place(key...), Message: message}
	if len(help) > 0 {
		d.Help = help[0]
	}
	r.diags.Add(d)
}

func (r *manifestReader) escape(key []string, file string) {
	r.diags.Add(escaped(r.doc.place(key...), file, "its package"))
}

func escaped(place diag.Place, file, what string) diag.Diagnostic {
	return diag.Diagnostic{Code: "OE1250", Place: place,
		Message: fmt.Sprintf("the path %q leaves %s", file, what),
		Help:    "give a relative path to something inside " + what + ", and mind where links lead"}
}

func kindOf(v any) string {
	switch v.(type) {
	case string:
		return "a text"
	case bool:
		return "true or false"
	case int64, float64:
		return "a number"
	case []any:
		return "a list"
	case map[string]any:
		return "a table"
	}
	return "a date or time"
}

// inside joins a relative slash path to folder and says whether the result
// stays in the package. Backslashes are refused: they mean different things on
// different machines.
func inside(folder, file string) (string, bool) {
	if absolute(folder) || absolute(file) {
		return "", false
	}
	full := path.Join(folder, file)
	if full == ".." || strings.HasPrefix(full, "../") {
		return "", false
	}
	return full, true
}

func absolute(file string) bool {
	return strings.HasPrefix(file, "/") || strings.ContainsAny(file, "\\\x00") ||
		len(file) > 1 && file[1] == ':'
}

// plainName reports whether s can stand as one part of a path in the language.
func plainName(s string) bool {
	for i, c := range s {
		if c != '_' && !unicode.IsLetter(c) && (i == 0 || !unicode.IsDigit(c)) {
			return false
		}
	}
	return s != "" && s != "_"
}

// reservedName reports whether a path's first part s has a meaning of its own.
func reservedName(s string) bool {
	return s == "std" || s == "pkg" || s == "self" || s == "super"
}
