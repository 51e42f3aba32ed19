package syntax

import (
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
)

// A term of a rule of grammar.txt.
type term struct {
	op    byte   // 't' token, 'n' name, 's' sequence, 'c' choice, 'o' optional, 'r' repeated
	text  string // of a token or name
	parts []*term
}

// grammar is grammar.txt read.
type grammar struct {
	rules map[string]*term
	cost  map[string]int // the least depth of an expansion
}

// classes are the token classes, with examples of each.
var classes = map[string][]string{
	"ident":    {"a", "b", "Ship", "crew", "Ünï", "type", "kind", "by", "at", "path"},
	"count":    {"1"},
	"int":      {"0", "7", "123456789012345678901234567890"},
	"decimal":  {"1.50", "0.0"},
	"currency": {"EUR", "USD"},
	"string":   {`"s"`, `""`, `"a {{ \n \u{41} \" }"`, `"v {x.y} w {f("q {z}")}"`},
	"date":     {"#2031-07-04#"},
	"datetime": {"#2031-07-04T10:00:00Z#"},
	"time":     {"#10:30:00#"},
	"char":     {`'a'`, `'\n'`, `'{'`},
	"tokens":   {"x", "( a , b )", "f ( [ x ] )", "y < z"},
}

func readGrammar(t testing.TB) *grammar {
	text, err := os.ReadFile("grammar.txt")
	if err != nil {
		t.Fatal(err)
	}
	var toks []string
	word := regexp.MustCompile(`"[^"]*"|\w+|[=.|\[\]{}()]`)
	for _, line := range strings.Split(string(text), "\n") {
		if !strings.HasPrefix(line, "#") {
			toks = append(toks, word.FindAllString(line, -1)...)
		}
	}
	g := &grammar{rules: map[string]*term{}, cost: map[string]int{}}
	i := 0
	var choice func() *term
	one := func() *term {
		s := toks[i]
		i++
		group := func(op byte) *term {
			x := choice()
			i++
			return &term{op: op, parts: []*term{x}}
		}
		switch s[0] {
		case '[':
			return group('o')
		case '{':
			return group('r')
		case '(':
			return group('s')
		case '"':
			return &term{op: 't', text: strings.Trim(s, `"`)}
		}
		return &term{op: 'n', text: s}
	}
	choice = func() *term {
		c := &term{op: 'c'}
		for {
			seq := &term{op: 's'}
			for i < len(toks) && !strings.Contains("|.)]}", toks[i]) {
				seq.parts = append(seq.parts, one())
			}
			c.parts = append(c.parts, seq)
			if i >= len(toks) || toks[i] != "|" {
				return c
			}
			i++
		}
	}
	for i < len(toks) {
		name := toks[i]
		if i+1 >= len(toks) || toks[i+1] != "=" {
			t.Fatalf("grammar.txt: no `=` behind %q", name)
		}
		if g.rules[name] != nil {
			t.Errorf("grammar.txt: %s has two rules", name)
		}
		i += 2
		g.rules[name] = choice()
		if i >= len(toks) || toks[i] != "." {
			t.Fatalf("grammar.txt: the rule %s does not end with `.`", name)
		}
		i++
	}
	return g
}

func (x *term) walk(f func(*term)) {
	f(x)
	for _, p := range x.parts {
		p.walk(f)
	}
}

func TestGrammarIsWhole(t *testing.T) {
	g := readGrammar(t)
	used := map[string]bool{"File": true}
	words := map[string]bool{}
	for name, rule := range g.rules {
		rule.walk(func(x *term) {
			switch x.op {
			case 'n':
				used[x.text] = true
				if g.rules[x.text] == nil && classes[x.text] == nil {
					t.Errorf("%s uses %s, which has no rule", name, x.text)
				}
			case 't':
				if isIdentStart(rune(x.text[0])) {
					words[x.text] = true
				}
				out := lex(x.text, Span{0, len(x.text)}, func(code string, _ Span, message, _ string) {
					t.Errorf("%s: the lexer refuses %q: %s %s", name, x.text, code, message)
				})
				if len(out.tokens) != 2 {
					t.Errorf("%s: %q is not one token", name, x.text)
				}
			}
		})
	}
	for name := range g.rules {
		if !used[name] {
			t.Errorf("nothing uses the rule %s", name)
		}
	}
	// The words of the grammar are those that the parser looks for.
	var code strings.Builder
	files, _ := filepath.Glob("*.go")
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") || strings.HasPrefix(f, "print") {
			continue
		}
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		code.Write(text)
	}
	skipped := map[string]bool{"by": true, "asc": true, "desc": true} // inside clauses that are passed over
	for w := range words {
		if !skipped[w] && !strings.Contains(code.String(), `"`+w+`"`) {
			t.Errorf("the parser does not know the word %q of the grammar", w)
		}
	}
	for _, m := range regexp.MustCompile(`(?:at|eat|peek)Word\((?:\w+, )?"(\w+)"\)`).FindAllStringSubmatch(code.String(), -1) {
		if !words[m[1]] && m[1] != "quote" {
			t.Errorf("the grammar does not have the word %q of the parser", m[1])
		}
	}
}

// least computes for each rule the least depth of an expansion.
func (g *grammar) least(x *term) int {
	const far = 1 << 20
	switch x.op {
	case 'n':
		if classes[x.text] != nil {
			return 0
		}
		if c, ok := g.cost[x.text]; ok {
			return c
		}
		return far
	case 's':
		most := 0
		for _, p := range x.parts {
			most = max(most, g.least(p))
		}
		return most
	case 'c':
		best := far
		for _, p := range x.parts {
			best = min(best, g.least(p))
		}
		return best
	}
	return 0
}

func (g *grammar) measure() {
	var names []string
	for n := range g.rules {
		names = append(names, n)
	}
	sort.Strings(names)
	for range 40 {
		for _, n := range names {
			if c := g.least(g.rules[n]); c < 1<<20 {
				g.cost[n] = c + 1
			}
		}
	}
}

// grow writes a random expansion of x, of at most about depth levels.
func (g *grammar) grow(r *rand.Rand, x *term, depth int, out *strings.Builder) {
	switch x.op {
	case 't':
		out.WriteString(x.text)
		out.WriteByte(' ')
		if x.text == ";" || x.text == "}" && r.Intn(2) == 0 {
			out.WriteByte('\n')
		}
	case 'n':
		if c := classes[x.text]; c != nil {
			out.WriteString(c[r.Intn(len(c))] + " ")
			return
		}
		if x.text == "BareExpr" || x.text == "BareUnary" { // see grammar.txt: only a comment says what is left out
			out.WriteString("( ")
			g.grow(r, g.rules["Expr"], depth-1, out)
			out.WriteString(") ")
			return
		}
		if x.text == "Projection" { // an expression that begins with a brace would be read as the columns
			var p strings.Builder
			g.grow(r, g.rules[x.text], depth-1, &p)
			text := p.String()
			if rest, ok := strings.CutPrefix(text, "{ "); ok && !regexp.MustCompile(`^(} $|[\pL\w]+ [,:=}])`).MatchString(rest) {
				text = "( " + text + ") "
			}
			out.WriteString(text)
			return
		}
		g.grow(r, g.rules[x.text], depth-1, out)
	case 's':
		for _, p := range x.parts {
			g.grow(r, p, depth, out)
		}
	case 'c':
		var fit []*term
		best := x.parts[0]
		for _, p := range x.parts {
			if g.least(p) < depth {
				fit = append(fit, p)
			}
			if g.least(p) < g.least(best) {
				best = p
			}
		}
		if len(fit) > 0 {
			best = fit[r.Intn(len(fit))]
		}
		g.grow(r, best, depth, out)
	case 'o':
		if r.Intn(2) == 0 && g.least(x.parts[0]) < depth {
			g.grow(r, x.parts[0], depth, out)
		}
	case 'r':
		for n := r.Intn(6) - 3; n > 0 && g.least(x.parts[0]) < depth; n-- {
			g.grow(r, x.parts[0], depth, out)
		}
	}
}

// TestProgramsOfTheGrammarParse writes random programs from grammar.txt: each
// parses without a diagnostic, and reads the same after printing.
func TestProgramsOfTheGrammarParse(t *testing.T) {
	g := readGrammar(t)
	g.measure()
	for seed := range int64(3000) {
		r := rand.New(rand.NewSource(seed))
		var b strings.Builder
		g.grow(r, g.rules["Item"], 8+int(seed%12), &b)
		text := b.String()
		var diags diag.List
		src := &Source{Text: text}
		ParseFile(src, &diags)
		if len(diags.Items) > 0 {
			d := diags.Items[0]
			at := d.Place.Start
			t.Errorf("seed %d: %s %s\n%s⟪HERE⟫%s", seed, d.Code, d.Message, text[:at], text[at:])
			if t.Failed() && seed > 100 {
				return
			}
			continue
		}
		readable(t, fmt.Sprintf("seed %d", seed), text)
		if t.Failed() {
			return
		}
	}
}

// TestProgramsWithAStrangeTokenAreRead changes a token of random programs.
func TestProgramsWithAStrangeTokenAreRead(t *testing.T) {
	g := readGrammar(t)
	g.measure()
	for seed := range int64(1000) {
		r := rand.New(rand.NewSource(seed))
		var b strings.Builder
		g.grow(r, g.rules["Item"], 8+int(seed%8), &b)
		text := b.String()
		tokens := lex(text, Span{0, len(text)}, func(string, Span, string, string) {}).tokens
		a, c := tokens[r.Intn(len(tokens))], tokens[r.Intn(len(tokens))]
		readable(t, "without one", text[:a.start]+text[a.end:])
		readable(t, "one instead of another", text[:a.start]+text[c.start:c.end]+text[a.end:])
		readable(t, "one more", text[:a.start]+text[c.start:c.end]+" "+text[a.start:])
		if t.Failed() {
			return
		}
	}
}
