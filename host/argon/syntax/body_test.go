package syntax

import (
	"testing"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
)

func TestBodiesStandForThemselves(t *testing.T) {
	parse := func(t *testing.T, kind BodyKind, text string) Body {
		t.Helper()
		var diags diag.List
		b := ParseBody(&Source{Path: "call", Text: text}, kind, &diags)
		for _, d := range diags.Items {
			t.Errorf("%q: %s %s", text, d.Code, d.Message)
		}
		return b
	}
	t.Run("a query of select, from and where", func(t *testing.T) {
		q := parse(t, AdHocQuery, "select { n: s.name } from s: Ship, s.crew > 3 where not idle(s)").Query
		if q.Select == nil || len(q.Select.Columns) != 1 || len(q.From) != 2 || len(q.Where) != 1 || q.Short {
			t.Errorf("got %+v", q)
		}
	})
	t.Run("a query of atoms", func(t *testing.T) {
		q := parse(t, AdHocQuery, "MooredAt(s, b), s.crew > 3").Query
		if q.Select != nil || len(q.From) != 2 || q.Short {
			t.Errorf("got %+v", q)
		}
	})
	t.Run("refused clauses keep their codes", func(t *testing.T) {
		for text, code := range map[string]string{
			"select x from x: A group by x":                              "OE0007",
			"select x from x: A order by x desc":                         "OE0007",
			"select x from x: A limit 3 offset 2":                        "OE0007",
			"with t = select y from y: B; select x from x: A":            "OE1344",
			"select path p from a.Up+(b) where A(a)":                     "OE1345",
			"select all-shortest path p from A(a)":                       "OE1345",
			"select a from a.Up+(b) as p mode walk":                      "OE1345",
			"select x from x: A optional from B(x)":                      "OE1346",
			"select x from x: A union all select y from y: B":            "OE1347",
			"select x from x: A except select y from y: B, C(y)":         "OE1347",
			"select x from x: A where B(x) intersect select z from C(z)": "OE1347",
		} {
			q := parse(t, AdHocQuery, text).Query
			if len(q.Refused) != 1 || q.Refused[0].Code != code {
				t.Errorf("%q: want %s, got %+v", text, code, q.Refused)
			}
		}
	})
	t.Run("statements", func(t *testing.T) {
		b := parse(t, AdHocMutate, "let s = insert Ship { name: \"x\" };\ninsert MooredAt(s, b);\nupdate s set { crew = 1 }")
		if len(b.Stmts) != 3 {
			t.Errorf("got %d statements", len(b.Stmts))
		}
	})
	t.Run("a fact", func(t *testing.T) {
		f := parse(t, LoneFact, `port::MooredAt(aurora, "b 1", 3)`).Fact
		if f == nil || f.Path.String() != "port::MooredAt" || len(f.Args) != 3 {
			t.Errorf("got %+v", f)
		}
	})
	t.Run("an expression", func(t *testing.T) {
		e := parse(t, LoneExpr, "1 + 2 * 3").Expr
		b, ok := e.(*Binary)
		if !ok || b.Op != "+" || b.Y.(*Binary).Op != "*" {
			t.Errorf("got %+v", e)
		}
	})
	t.Run("what does not fit is reported once", func(t *testing.T) {
		for _, c := range []struct {
			kind BodyKind
			text string
		}{
			{AdHocQuery, ""}, {AdHocQuery, "select x"}, {AdHocQuery, "A(x) B(y)"}, {AdHocQuery, "select x from x: A } z"},
			{AdHocMutate, "let x"}, {AdHocMutate, "x } y"}, {LoneFact, "A"}, {LoneFact, "A(x), B(x)"}, {LoneFact, "x > 3"},
			{LoneExpr, ""}, {LoneExpr, "1 2"}, {LoneExpr, "("},
		} {
			var diags diag.List
			ParseBody(&Source{Path: "call", Text: c.text}, c.kind, &diags)
			if len(diags.Items) != 1 {
				t.Errorf("%q: %s", c.text, brief(diags.Items))
			}
		}
	})
}

func TestPositionCountsCodePoints(t *testing.T) {
	s := &Source{Text: "aé→b\nc"}
	for _, c := range []struct{ offset, line, column int }{
		{0, 1, 1}, {1, 1, 2}, {3, 1, 3}, {6, 1, 4}, {7, 1, 5}, {8, 2, 1}, {9, 2, 2}, {99, 2, 2}, {-1, 1, 1},
	} {
		if line, column := s.Position(c.offset); line != c.line || column != c.column {
			t.Errorf("offset %d: got %d:%d, want %d:%d", c.offset, line, column, c.line, c.column)
		}
	}
}

func TestUnicodeSpellingsAreTheSameTokens(t *testing.T) {
	ascii, _ := printed(t, "type A <: B;\nderive p(x) :- x: A, not q(x), x.a != 1 && x.b <= 2 || x.c >= 3, x in s, exists { r(x) };\nfn f(x: A) -> B = x;")
	other, diags := printed(t, "type A ⊑ B;\nderive p(x) ← x: A, ¬ q(x), x.a ≠ 1 ∧ x.b ≤ 2 ∨ x.c ≥ 3, x ∈ s, ∃ { r(x) };\nfn f(x: A) → B = x;")
	if len(diags.Items) > 0 || ascii != other {
		t.Errorf("%s\n%s\n%s", brief(diags.Items), ascii, other)
	}
}

func TestLiteralsKeepTheirValues(t *testing.T) {
	for text, want := range map[string]Lit{
		"12":                             {Kind: IntLit, Text: "12"},
		"12.50":                          {Kind: DecimalLit, Text: "12.50"},
		"12.50 EUR":                      {Kind: MoneyLit, Text: "12.50 EUR"},
		"3 USD":                          {Kind: MoneyLit, Text: "3 USD"},
		"#10:30#":                        {Kind: TimeLit, Text: "10:30:00"},
		"#23:59:59.5#":                   {Kind: TimeLit, Text: "23:59:59.5"},
		"true":                           {Kind: BoolLit, Text: "true"},
		"#2031-07-04#":                   {Kind: DateLit, Text: "2031-07-04"},
		"#2031-07-04T10:00:00+02:00#":    {Kind: DateTimeLit, Text: "2031-07-04T08:00:00Z"},
		"#2031-07-04T10:00:00.25Z#":      {Kind: DateTimeLit, Text: "2031-07-04T10:00:00.25Z"},
		`"a\n\t\"\\\0\u{2713}{{}}"`:      {Kind: StringLit, Text: "a\n\t\"\\\x00✓{}"},
		`"plain } brace"`:                {Kind: StringLit, Text: "plain } brace"},
		`'\''`:                           {Kind: StringLit, Text: "'"},
		`'\u{2713}'`:                     {Kind: StringLit, Text: "✓"},
		"/* a /* nested */ comment */ 1": {Kind: IntLit, Text: "1"},
	} {
		var diags diag.List
		e := ParseBody(&Source{Text: text}, LoneExpr, &diags).Expr
		l, ok := e.(*Lit)
		if len(diags.Items) > 0 || !ok || l.Kind != want.Kind || l.Text != want.Text {
			t.Errorf("%s: got %+v %s", text, e, brief(diags.Items))
		}
	}
}

func TestInterpolationsHaveTheirPlaces(t *testing.T) {
	text := `"tug {t.name} has {f("a {x}")}"`
	var diags diag.List
	e := ParseBody(&Source{Text: text}, LoneExpr, &diags).Expr
	m, ok := e.(*Text)
	if len(diags.Items) > 0 || !ok || len(m.Parts) != 5 {
		t.Fatalf("got %+v %s", e, brief(diags.Items))
	}
	for i, want := range map[int]string{1: "t.name", 3: `f("a {x}")`} {
		at := m.Parts[i].Range()
		if got := text[at.Start:at.End]; got != want {
			t.Errorf("part %d is %q, want %q", i, got, want)
		}
	}
}
