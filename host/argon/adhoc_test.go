package argon_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
)

const harbour = `
pub type Ship { name: String, mut crew: Nat = 5, flag: Flag? }
pub type Tug <: Ship { pull: Decimal }
pub enum Flag { Green, White }
pub type Berth;
pub rel MooredAt(ship: Ship, berth: Berth);
pub fact Tug(rosa) { name: "Rosa", pull: 12.5 };
pub fact Berth(b1);
pub fact MooredAt(rosa, b1);
pub derive idle(s: Ship) :- s: Ship, not MooredAt(s, _);
pub check Lonely(s: Ship) :- idle(s) => Diagnostic { severity: Severity::Info, code: "H-1", message: "{s.name}" };
pub mutate rename(s: Ship, n: String) { require n != ""; }
`

func compiled(t rapid.TB, src string) *lower.Module {
	t.Helper()
	r, err := argon.Snippet(context.Background(), src, argon.Options{TestMode: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range r.Diagnostics {
		t.Errorf("%s at %d: %s", d.Code, d.Place.Start, d.Message)
	}
	if r.Module == nil {
		t.FailNow()
	}
	return r.Module
}

// extended prints the parts of the program that the extension adds.
func extended(m *lower.Module, ext *abi.Extension) string {
	p := m.Program
	p.Constants = append(p.Constants[:len(p.Constants):len(p.Constants)], ext.Constants...)
	p.Relations = append(p.Relations[:len(p.Relations):len(p.Relations)], ext.Relations...)
	p.Rules = append(p.Rules[:len(p.Rules):len(p.Rules)], ext.Rules...)
	p.Components = ext.Components
	p.Functions, p.Checks, p.Tests = nil, nil, nil
	p.Queries, p.Mutations = ext.Queries, ext.Mutations
	var out bytes.Buffer
	if err := lower.Print(&out, &p); err != nil {
		return err.Error()
	}
	_, tail, _ := strings.Cut(out.String(), "\n\n")
	return strings.TrimSpace(tail)
}

func TestAdHocQuery(t *testing.T) {
	m := compiled(t, harbour)
	for _, tt := range []struct{ body, want string }{
		{
			`MooredAt(s, b), s.crew > least`,
			"query query(s: root::Ship, b: root::Berth, least: Nat) -> (s: root::Ship, b: root::Berth, least: Nat)\n" +
				"  (s, b, least) :- root::MooredAt(s, b), root::Ship.crew(s, $3), $3 > least",
		},
		{
			`select { who: s, n: s.crew } from s: Ship where not idle(s)`,
			"query query(s: root::Ship) -> (who: root::Ship, n: Nat)\n" +
				"  (s, $1) :- root::Ship(s), not root::idle(s), root::Ship.crew(s, $1)",
		},
		{
			`s: Ship, s.crew > 9 || s.flag.is_some`,
			"query query(s: root::Ship) -> (s: root::Ship)\n" +
				"  (s) :- root::Ship(s), not exists { not exists { root::Ship.crew(s, $1), $1 > 9 }, not root::Ship.flag(s, _) }",
		},
		{
			`s: Ship, k = (s.crew > 9 || s.flag.is_some)`,
			"component 0: root::Ship.flag? (stratum 1)\n" +
				"  root::Ship.flag?(self, flag) :- root::Ship.flag(self, flag)\n  root::Ship.flag?(None, None)\n" +
				"  root::Ship.flag?(self, None) :- root::Ship(self), not root::Ship.flag(self, _)\n\n" +
				"query query(s: root::Ship, k: Bool) -> (s: root::Ship, k: Bool)\n" +
				"  (s, k) :- root::Ship(s), root::Ship.crew(s, $2), root::Ship.flag?(s, $3), k := (($2 > 9) || is_some($3))",
		},
		{
			`MooredAt("rosa", b)`,
			"query query(b: root::Berth) -> (b: root::Berth)\n  (b) :- root::MooredAt(root::rosa, b)",
		},
		{
			`MooredAt(rosa, b), count { MooredAt(_, b) } == n`,
			"query query(b: root::Berth, n: Nat) -> (b: root::Berth, n: Nat)\n" +
				"  (b, n) :- root::MooredAt(root::rosa, b), n := count over $2 { root::MooredAt($2, b) }",
		},
	} {
		ext, diags := argon.CompileQuery(m, tt.body)
		if len(diags) > 0 {
			t.Errorf("%s: %s %s", tt.body, diags[0].Code, diags[0].Message)
			continue
		}
		if got := extended(m, ext); got != tt.want {
			t.Errorf("%s\ngot  %s\nwant %s", tt.body, got, tt.want)
		}
	}
}

func TestAdHocMutate(t *testing.T) {
	m := compiled(t, harbour)
	ext, diags := argon.CompileMutate(m, `let t = insert Tug { name: n, pull: 3 }; insert MooredAt(t, at); rename(t, n); return t;`)
	if len(diags) > 0 {
		t.Fatalf("%s %s", diags[0].Code, diags[0].Message)
	}
	mu := ext.Mutations[0]
	if len(mu.Params) != 2 || mu.Params[0].Name != "n" || mu.Params[0].Type.Op != abi.TypeString || mu.Params[1].Type.Name != "root::Berth" {
		t.Errorf("parameters %+v", mu.Params)
	}
	if len(mu.Body) != 4 || mu.Body[0].Op != abi.StmtNew || len(mu.Body[0].Fields) != 3 {
		t.Errorf("body %+v", mu.Body)
	}
}

func TestAdHocMistakes(t *testing.T) {
	m := compiled(t, harbour)
	for _, tt := range []struct{ kind, body, code string }{
		{"query", `Mored(s, b)`, "OE0101"},
		{"query", `MooredAt(s)`, "OE0258"},
		{"query", `s: Ship, s.crew > "x"`, "OE0257"},
		{"query", `s: Ship, s.sail > 3`, "OE0259"},
		{"query", `s: Ship, not`, "OE0001"},
		{"query", ``, "OE0001"},
		{"query", `s: Ship, s.crew` + strings.Repeat(" + s.crew", 600) + ` > 3`, "OE1366"},
		{"mutate", `update rosa set { name = "x" };`, "OE0256"},
		{"mutate", `insert idle(rosa);`, "OE0270"},
		{"mutate", `require rosa.crew` + strings.Repeat(" + 1", 600) + ` > 3;`, "OE1366"},
		{"mutate", `insert Tug { name: "x" };`, "OE0254"},
	} {
		compile := argon.CompileQuery
		if tt.kind == "mutate" {
			compile = argon.CompileMutate
		}
		ext, diags := compile(m, tt.body)
		if ext != nil || len(diags) == 0 || diags[0].Code != tt.code {
			t.Errorf("%s %q: %v, want %s", tt.kind, tt.body, diags, tt.code)
		}
	}
}

func TestParseFact(t *testing.T) {
	m := compiled(t, harbour)
	for _, tt := range []struct{ text, relation, tuple string }{
		{"MooredAt(rosa, b1)", "root::MooredAt", "root::rosa root::b1"},
		{"root::MooredAt(root::rosa, ghost)", "root::MooredAt", "root::rosa ghost"},
		{`Ship("github.com/x")`, "root::Ship", "github.com/x"},
		{"Lonely(rosa, None)", "root::Lonely", "root::rosa None"},
	} {
		rel, tuple, err := argon.ParseFact(m, tt.text)
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		var got []string
		for _, v := range tuple {
			got = append(got, lower.ValueText(v))
		}
		if m.Program.Relations[rel].Name != tt.relation || strings.Join(got, " ") != tt.tuple {
			t.Errorf("%s: %s(%s)", tt.text, m.Program.Relations[rel].Name, strings.Join(got, ", "))
		}
	}
	for _, text := range []string{"", "Ship(", "Ship(rosa, b1)", "Sihp(rosa)", "a > b"} {
		if _, _, err := argon.ParseFact(m, text); err == nil {
			t.Errorf("%q is taken for a fact", text)
		}
	}
}

// TestAdHocBodiesShareAModule compiles bodies at the same time: none may
// change the module, or see what another adds.
func TestAdHocBodiesShareAModule(t *testing.T) {
	m := compiled(t, harbour)
	relations, constants := len(m.Program.Relations), len(m.Program.Constants)
	done := make(chan string)
	for i := range 8 {
		go func() {
			body := fmt.Sprintf("s: Ship, k = (s.crew > %d || s.flag.is_some)", 100+i)
			ext, diags := argon.CompileQuery(m, body)
			if len(diags) > 0 || len(ext.Relations) != 1 || len(ext.Constants) == 0 || ext.Constants[len(ext.Constants)-1].Int != int64(100+i) && ext.Constants[0].Int != int64(100+i) {
				done <- fmt.Sprint(body, diags, ext)
				return
			}
			done <- ""
		}()
	}
	for range 8 {
		if problem := <-done; problem != "" {
			t.Error(problem)
		}
	}
	if len(m.Program.Relations) != relations || len(m.Program.Constants) != constants || len(m.Env.Relations) != relations {
		t.Error("the module has changed")
	}
}

// The name of a metatype where a metatype has to stand is no column.
func TestAdHocQueryNamesWhatIsDeclared(t *testing.T) {
	m := compiled(t, "pub metatype kind = {};\npub kind Crane;\npub fact Crane(c1);\n")
	for _, tt := range []struct{ body, columns string }{
		{"t: TypeRef, meta(t) == kind", "t"},
		{"select t from t: TypeRef where meta(t) != kind", "t"},
		{"x: Crane, meta(x) == kind", "x"},
		{"t: TypeRef, meta(t) == k, kind = k", "t k kind"},
	} {
		ext, diags := argon.CompileQuery(m, tt.body)
		if len(diags) > 0 {
			t.Errorf("%s: %s %s", tt.body, diags[0].Code, diags[0].Message)
			continue
		}
		var names []string
		for _, c := range ext.Queries[0].Columns {
			names = append(names, c.Name)
		}
		if got := strings.Join(names, " "); got != tt.columns {
			t.Errorf("%s: columns %s, want %s", tt.body, got, tt.columns)
		}
	}
}
