package runtime

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox/rewrite"
)

const rewriterVersion = rewrite.Version

// PinRequest asks for the table of a plugin file.
type PinRequest struct {
	File   string
	Name   string   // of a check evaluator; empty: the file's stem
	Grants []string // nil: none
	Write  bool     // record it in the user's configuration
}

// PinResult is the answer of Pin.
type PinResult struct {
	Name    string `json:"name"`
	World   string `json:"world"`
	Blake3  string `json:"blake3"`
	Table   string `json:"table"`             // TOML
	Wrote   string `json:"wrote,omitempty"`   // file
	Missing string `json:"missing,omitempty"` // grants that the module needs and the table does not give
}

// Pin makes the table that declares a plugin file, and on request records it
// in the user's own configuration. The module must be one that is admitted.
func (s *Service) Pin(ctx context.Context, req PinRequest) (*PinResult, error) {
	file, err := filepath.Abs(req.File)
	if err != nil {
		return nil, err
	}
	i, err := s.InspectPlugin(ctx, file)
	if err != nil {
		return nil, err
	}
	if !i.Admitted {
		return nil, &Error{Status: 400, Code: "PLUGIN_REFUSED", Message: fmt.Sprintf("%s would not be admitted: %s", req.File, i.Refusal)}
	}
	out := &PinResult{Name: req.Name, World: i.World, Blake3: i.Blake3}
	header := "reasoner"
	if i.World == abi.WorldEvaluator {
		if out.Name == "" {
			out.Name = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
		}
		d := PluginTable{Name: out.Name, Kind: KindEvaluator, Path: file, Blake3: i.Blake3, Grants: req.Grants}
		if err := d.check(false); err != nil {
			return nil, Invalid("pin", "a plugin that can be declared", err.Error(), "")
		}
		header = "plugins." + out.Name
	} else {
		out.Name = header
	}
	lines := []string{"path = " + quoteTOML(file), fmt.Sprintf("blake3 = %q", i.Blake3)}
	if i.World == abi.WorldEvaluator {
		lines = append(lines, fmt.Sprintf("kind = %q", KindEvaluator), "grants = ["+quoteAll(req.Grants)+"]")
	}
	out.Table = "[" + header + "]\n" + strings.Join(lines, "\n") + "\n"
	var missing []string
	for _, g := range i.Grants {
		if !slices.Contains(req.Grants, g) {
			missing = append(missing, g)
		}
	}
	out.Missing = strings.Join(missing, ", ")
	if req.Write {
		if err := recordTable(s.cfg.UserFile, header, out.Table); err != nil {
			return nil, &Error{Status: 500, Code: "PIN_UNWRITABLE", Message: err.Error()}
		}
		out.Wrote = s.cfg.UserFile
	}
	return out, nil
}

// quoteTOML writes a text as a TOML string.
func quoteTOML(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, "\\u%04X", c)
		default:
			b.WriteRune(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func quoteAll(list []string) string {
	var out []string
	for _, s := range list {
		out = append(out, quoteTOML(s))
	}
	return strings.Join(out, ", ")
}

// recordTable puts a table into a TOML file in place of the one with the same
// header, or at its end. The rest of the file stays as it is.
func recordTable(file, header, table string) error {
	if file == "" {
		return errors.New("there is no file of the user's own settings")
	}
	old, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	text := replaceTable(string(old), header, table)
	if err := sameBut(string(old), text, header); err != nil {
		return fmt.Errorf("%s cannot be changed by program (%w): add the table by hand", file, err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return replaceFile(file, []byte(text))
}

// sameBut checks that two files say the same beside the table header.
func sameBut(old, new, header string) error {
	trees := [2]map[string]any{}
	for i, text := range []string{old, new} {
		if err := toml.Unmarshal([]byte(text), &trees[i]); err != nil {
			return err
		}
		under := trees[i]
		parts := strings.Split(header, ".")
		for _, p := range parts[:len(parts)-1] {
			sub, _ := under[p].(map[string]any)
			if sub == nil {
				sub = map[string]any{}
				under[p] = sub
			}
			under = sub
		}
		delete(under, parts[len(parts)-1])
	}
	if !reflect.DeepEqual(trees[0], trees[1]) {
		return errors.New("its tables are written in a way that is not understood")
	}
	return nil
}

// replaceTable replaces the lines of [header] up to the next header.
func replaceTable(text, header, table string) string {
	lines := strings.SplitAfter(text, "\n")
	var out strings.Builder
	in, done := false, false
	for _, line := range lines {
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "[") {
			in = tableHeader(trimmed) == header || strings.HasPrefix(tableHeader(trimmed), header+".")
			if in && !done {
				out.WriteString(table)
				out.WriteByte('\n')
				done = true
			}
		}
		if !in {
			out.WriteString(line)
		}
	}
	if done {
		return out.String()
	}
	text = out.String()
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if text != "" {
		text += "\n"
	}
	return text + table
}

func tableHeader(line string) string {
	end := strings.IndexByte(line, ']')
	if end < 0 {
		return ""
	}
	return strings.ReplaceAll(strings.TrimSpace(line[1:end]), `"`, "")
}
