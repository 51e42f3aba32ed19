package expand

import "github.com/ox-mcp/ox-mcp/host/argon/syntax"

// maxSteps bounds the work of one match.
const maxSteps = 2_000_000

// binding is what a variable has taken: tokens, or, in a repetition, a binding
// for each time.
type binding struct {
	toks []tok
	kind string
	each []*binding
	many bool
}

type bindings map[string]*binding

// matcher fits a pattern to the tokens that a macro is used with.
type matcher struct {
	toks     []tok
	pattern  []piece
	parts    *syntax.Fragments // of toks, once it is needed
	steps    int
	furthest int // the token that no part took
}

func newMatcher(toks []tok, pattern []piece) *matcher {
	return &matcher{toks: toks, pattern: pattern}
}

// match fits the whole input to the whole pattern. A repetition takes as much
// as it can, except that one of `tt` stops where what follows it fits.
func (m *matcher) match() (bindings, bool) {
	b := bindings{}
	i, ok := m.pieces(m.pattern, 0, b)
	if !ok {
		return nil, false
	}
	m.furthest = max(m.furthest, i)
	return b, i == len(m.toks)
}

func (m *matcher) pieces(list []piece, i int, b bindings) (int, bool) {
	for k := range list {
		p := &list[k]
		m.steps++
		m.furthest = max(m.furthest, i)
		if m.steps > maxSteps {
			return i, false
		}
		ok := true
		switch {
		case p.rep != nil:
			i, ok = m.repetition(p, list[k+1:], i, b)
		case p.name != "":
			start := i
			i, ok = m.fragment(p.kind, i)
			if ok {
				b[p.name] = &binding{toks: m.toks[start:i], kind: p.kind}
			}
		default:
			ok = i < len(m.toks) && m.toks[i].text == p.tok.text && m.toks[i].class == p.tok.class
			i++
		}
		if !ok {
			return i, false
		}
	}
	return i, true
}

func (m *matcher) fragment(kind string, i int) (int, bool) {
	switch {
	case kind == "ident" && i < len(m.toks): // the most frequent, without the parser
		if m.toks[i].class != syntax.WordToken {
			return i, false
		}
	case kind == "tt" && i < len(m.toks) && m.toks[i].class != syntax.OpenToken:
		return i + 1, m.toks[i].class != syntax.CloseToken
	}
	if m.parts == nil {
		m.parts = syntax.NewFragments(render(m.toks, "").src)
	}
	return m.parts.Read(kind, i)
}

func (m *matcher) repetition(p *piece, after []piece, i int, b bindings) (int, bool) {
	times := 0
	names(p.rep, func(name string) { b[name] = &binding{many: true} })
	trees := p.rep[0].kind == "tt"
	for p.op != '?' || times == 0 {
		if trees && len(after) > 0 && after[0].name == "" && after[0].rep == nil && i < len(m.toks) && m.toks[i].text == after[0].tok.text {
			break
		}
		at := i
		if times > 0 && p.sep != nil {
			if i >= len(m.toks) || m.toks[i].text != p.sep.text {
				break
			}
			at++
		}
		inner := bindings{}
		end, ok := m.pieces(p.rep, at, inner)
		if !ok || end == at {
			break
		}
		for name, one := range inner {
			b[name].each = append(b[name].each, one)
		}
		times++
		i = end
	}
	return i, times > 0 || p.op != '+'
}

// names calls do for each variable of a pattern.
func names(list []piece, do func(string)) {
	for _, p := range list {
		if p.name != "" {
			do(p.name)
		}
		names(p.rep, do)
	}
}
