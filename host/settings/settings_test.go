package settings

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestEveryDeclarationIsUniqueDocumentedAndInBounds(t *testing.T) {
	seen := map[string]string{}
	claim := func(what, by string) {
		if other, ok := seen[what]; ok {
			t.Errorf("%s and %s both use %s", other, by, what)
		}
		seen[what] = by
	}
	for i := range All {
		s := &All[i]
		claim("key "+s.Key, s.Key)
		claim("variable "+s.Env(), s.Key)
		if s.Flag != "" {
			claim("flag "+s.Flag, s.Key)
		}
		if !strings.HasSuffix(s.Description, ".") {
			t.Errorf("%s: the description is no sentence: %q", s.Key, s.Description)
		}
		if s.Numeric() && (s.Min >= s.Max || s.Default == "") {
			t.Errorf("%s: a number needs a default and bounds", s.Key)
		}
		if s.Kind == Enum && len(s.Choices) < 2 {
			t.Errorf("%s: an enum needs choices", s.Key)
		}
		if s.PackageMay == PackageNarrows && !s.Numeric() {
			t.Errorf("%s: only a number can be narrowed", s.Key)
		}
		if s.Default == "" {
			continue
		}
		v, err := s.Parse(s.Default)
		if err != nil {
			t.Errorf("default: %v", err)
			continue
		}
		if back, err := s.Parse(s.Format(v)); err != nil || s.Format(back) != s.Format(v) {
			t.Errorf("%s: %q does not read back: %v", s.Key, s.Format(v), err)
		}
	}
}

func TestEnv(t *testing.T) {
	for key, want := range map[string]string{
		"limits.resultBytes": "OX_MCP_LIMITS_RESULT_BYTES",
		"capabilities":       "OX_MCP_CAPABILITIES",
		"reasoner.blake3":    "OX_MCP_REASONER_BLAKE3",
	} {
		s, ok := Lookup(key)
		if !ok || s.Env() != want {
			t.Errorf("%s: got %v, want %s", key, s, want)
		}
	}
}

func TestParse(t *testing.T) {
	tests := []struct{ key, text, want, fail string }{
		{"limits.fuel", "9007199254740993", "9007199254740993", ""}, // past a float's exact integers
		{"limits.fuel", "5_000_000", "5000000", ""},
		{"limits.fuel", "1e9", "", "whole number"},
		{"limits.fuel", "3", "", "outside"},
		{"limits.memory", "512MiB", "512MiB", ""},
		{"limits.memory", "536870912", "512MiB", ""},
		{"limits.memory", "99999999999GiB", "", "bytes"},
		{"limits.memory", "8GiB", "", "outside 4MiB to 4GiB"},
		{"limits.deadline", "1m30s", "1m30s", ""},
		{"limits.deadline", "30", "", "duration"},
		{"dirtyPolicy", "refuse", "refuse", ""},
		{"dirtyPolicy", "sometimes", "", "auto_build"},
		{"capabilities", "fork, promote,,fork", "fork,promote", ""},
		{"capabilities", "fly", "", "promote"},
		{"dev", "on", "true", ""},
		{"dev", "maybe", "", "true or false"},
	}
	for _, tt := range tests {
		s, _ := Lookup(tt.key)
		v, err := s.Parse(tt.text)
		switch {
		case tt.fail == "" && err != nil:
			t.Errorf("%s=%s: %v", tt.key, tt.text, err)
		case tt.fail != "" && (err == nil || !strings.Contains(err.Error(), tt.fail)):
			t.Errorf("%s=%s: error %v, want one with %q", tt.key, tt.text, err, tt.fail)
		case tt.fail == "" && s.Format(v) != tt.want:
			t.Errorf("%s=%s: got %s, want %s", tt.key, tt.text, s.Format(v), tt.want)
		}
	}
}

func TestLayersDisplaceInOrderAndRemember(t *testing.T) {
	user, err := FromTOML(LayerUser, "config.toml", []byte("[limits]\nrows = 50\nfuel = 9007199254740993\n"))
	if err != nil {
		t.Fatal(err)
	}
	env := FromEnvironment(func(name string) string {
		return map[string]string{"OX_MCP_LIMITS_ROWS": "60", "OX_MCP_LIMITS_DEADLINE": "5s"}[name]
	})
	flags := FromFlags(map[string]string{"limits.rows": "70"})
	r, problems := Resolve(flags, env, user)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if got := r.Uint("limits.fuel"); got != 9007199254740993 {
		t.Errorf("fuel %d", got)
	}
	if got := r.Duration("limits.deadline"); got != 5*time.Second {
		t.Errorf("deadline %v", got)
	}
	var trail []string
	o := r.Origin("limits.rows")
	for p := &o; p != nil; p = p.Displaced {
		trail = append(trail, p.Layer.String())
	}
	if want := []string{"flag", "environment", "user", "default"}; !slices.Equal(trail, want) || o.Value.Int != 70 {
		t.Errorf("rows %d by %v, want 70 by %v", o.Value.Int, trail, want)
	}
}

func TestPackageMayOnlyNarrow(t *testing.T) {
	pkg := func(toml string) Source {
		s, err := FromTOML(LayerPackage, "ox.toml", []byte(toml))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	tests := []struct {
		name, toml, key, want, problem string
	}{
		{"lowers a limit", `"limits.rows" = 20`, "limits.rows", "20", ""},
		{"raises a limit", `limits.rows = 2000`, "limits.rows", "200", "only lower"},
		{"presentation", `explain.depth = 30`, "explain.depth", "30", ""},
		{"grants", `capabilities = ["promote"]`, "capabilities", "", "may not set"},
		{"names a program", `reasoner.path = "evil.wasm"`, "reasoner.path", "", "may not set"},
		{"float", `limits.rows = 20.5`, "limits.rows", "200", "int"},
		{"unknown", `limits.fule = 20`, "limits.fuel", "20000000000", "no setting"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, problems := Resolve(pkg(tt.toml))
			s, _ := Lookup(tt.key)
			o := r.Origin(tt.key)
			if got := s.Format(o.Value); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			switch {
			case tt.problem == "" && len(problems) > 0:
				t.Errorf("problems %v", problems)
			case tt.problem != "" && (len(problems) != 1 || !strings.Contains(problems[0].Message, tt.problem)):
				t.Errorf("problems %v, want one with %q", problems, tt.problem)
			}
		})
	}
}

func TestRunTimeChangeAndItsUndoing(t *testing.T) {
	r, _ := Resolve()
	next, err := r.With("limits.rows", "10", "the operator")
	if err != nil {
		t.Fatal(err)
	}
	if r.Int("limits.rows") != 200 || next.Int("limits.rows") != 10 {
		t.Errorf("before %d, after %d", r.Int("limits.rows"), next.Int("limits.rows"))
	}
	again, _ := next.With("limits.rows", "11", "the operator")
	if back := again.Without("limits.rows"); back.Int("limits.rows") != 200 {
		t.Errorf("undone to %d", back.Int("limits.rows"))
	}
	if _, err := r.With("limits.rows", "0", "the operator"); err == nil {
		t.Error("a value out of bounds was taken")
	}
	if _, err := r.With("limits.row", "10", "the operator"); err == nil {
		t.Error("an unknown key was taken")
	}
}

func TestTableAndMarkdownNameEverySetting(t *testing.T) {
	r, _ := Resolve()
	text := Markdown()
	for _, row := range r.Table() {
		if row.Setting.Default != row.Value && row.Setting.Kind != List {
			t.Errorf("%s: table says %q, default is %q", row.Setting.Key, row.Value, row.Setting.Default)
		}
		if !strings.Contains(text, "`"+row.Setting.Key+"`") {
			t.Errorf("%s is not in the documentation's table", row.Setting.Key)
		}
	}
}
