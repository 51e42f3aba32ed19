package syntax

import (
	"fmt"
	"sort"
	"strings"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
)

func (p *parser) errorAt(code string, at Span, message, help string) *diag.Diagnostic {
	if p.failed {
		return &diag.Diagnostic{}
	}
	p.failed = true
	if p.quiet {
		return &diag.Diagnostic{}
	}
	p.lastReport = at.Start
	before := len(p.found)
	p.report(diag.Diagnostic{Code: code, Message: message, Place: p.src.place(at), Help: help})
	if len(p.found) == before {
		return &diag.Diagnostic{}
	}
	return &p.found[before]
}

// describe names the token at hand for a message.
func (p *parser) describe() string {
	t := p.tok()
	if t.kind == tEOF {
		if p.nested > 0 {
			return "the end of the interpolation"
		}
		if p.itemCol < 0 {
			return "the end of the text"
		}
		return "the end of the file"
	}
	return "`" + clip(p.src.Text[t.start:t.end]) + "`"
}

// unexpected reports the token at hand where wanted should stand.
func (p *parser) unexpected(wanted string) *diag.Diagnostic {
	t := p.tok()
	if p.full() {
		p.failed, p.dropped = true, true
		return &diag.Diagnostic{}
	}
	if p.failed || p.lastBad == p.pos || t.bad || p.behindBad() {
		p.failed, p.lastBad = true, p.pos
		return &diag.Diagnostic{}
	}
	p.lastBad = p.pos
	code := "OE0001"
	if p.badCode != "" {
		code = p.badCode
	}
	help := "write " + wanted + " here, or take out what stands in its place"
	if meant := foreign[p.text(t)]; meant != "" {
		help = "here `" + p.text(t) + "` is written `" + meant + "`"
	}
	return p.errorAt(code, t.span(), fmt.Sprintf("found %s where %s should stand", p.describe(), wanted), help)
}

// foreign are the signs of other languages for what stands between expressions.
var foreign = map[string]string{"and": "&&", "or": "||", "=": "=="}

// behindBad tells that something before the token at hand, on its line, was
// refused by the lexer: what is wrong behind it may well follow from that.
func (p *parser) behindBad() bool {
	for i := p.pos; i >= 0 && p.pos-i < nearBad; i-- {
		if p.toks[i].behindBad || i > 0 && p.toks[i-1].bad {
			return true
		}
		if i == 0 || strings.Contains(p.src.Text[p.toks[i-1].end:p.toks[i].start], "\n") {
			return false
		}
	}
	return false
}

// nearBad bounds, in tokens, how far behind what the lexer refused a mistake is
// taken to follow from it.
const nearBad = 32

// expect reads a k. Where the next token stands on a later line, the mistake
// is at the end of what was read.
func (p *parser) expect(k kind) bool {
	if p.eat(k) {
		return true
	}
	p.missing(k, k.what())
	return false
}

// missing reports that k, or what wanted says, should stand behind the last token.
func (p *parser) missing(k kind, wanted string) {
	if p.failed {
		return
	}
	t := p.tok()
	if p.behindBad() {
		p.failed, p.lineBreak = true, p.pos
		return
	}
	if (t.first || t.kind == tEOF) && p.prevEnd > 0 && spellable(k) {
		if p.lastBad == p.pos {
			p.failed = true
			return
		}
		p.lastBad, p.lineBreak = p.pos, p.pos
		code := "OE0001"
		if p.badCode != "" {
			code = p.badCode
		}
		at := Span{p.prevEnd, p.prevEnd}
		d := p.errorAt(code, at, fmt.Sprintf("%s is missing here; the text goes on with %s", wanted, p.describe()), "add "+wanted)
		if k == tSemi {
			d.Fix = p.insertion(at, ";")
		}
		return
	}
	p.unexpected(wanted)
}

func spellable(k kind) bool { return int(k) < len(spelling) && spelling[k] != "" }

func (p *parser) insertion(at Span, text string) *diag.Fix {
	return &diag.Fix{Title: "insert `" + text + "`", Edits: []diag.Edit{{Place: p.src.place(Span{at.End, at.End}), Text: text}}}
}

func (p *parser) lexError(code string, at Span, message, help string) {
	p.report(diag.Diagnostic{Code: code, Message: message, Place: p.src.place(at), Help: help})
}

func (p *parser) report(d diag.Diagnostic) {
	if p.full() {
		p.dropped = true
		return
	}
	p.found = append(p.found, d)
}

// lonelyQuotes takes away what was reported on a line before a string without
// an end: the quote that is missing stands before it.
func (p *parser) lonelyQuotes(found []diag.Diagnostic) []diag.Diagnostic {
	out := found[:0]
	for _, d := range found {
		if n := len(out); n > 0 && d.Code == "OE0050" && out[n-1].Code == "OE0001" && out[n-1].Place.End <= d.Place.Start &&
			p.src.Text[d.Place.Start] == '"' && !strings.Contains(p.src.Text[out[n-1].Place.Start:d.Place.Start], "\n") {
			out = out[:n-1]
		}
		out = append(out, d)
	}
	return out
}

// full tells that further diagnostics are dropped. There is room for twice the
// limit, since the lexer's come before all of the parser's.
func (p *parser) full() bool { return len(p.found) >= maxDiagnostics*2 }

// finish hands the diagnostics over in the order of the text.
func (p *parser) finish(to *diag.List) {
	sort.SliceStable(p.found, func(i, j int) bool { return p.found[i].Place.Start < p.found[j].Place.Start })
	p.found = p.lonelyQuotes(p.found)
	if len(p.found) > maxDiagnostics {
		p.found, p.dropped = p.found[:maxDiagnostics], true
	}
	for _, d := range p.found {
		to.Add(d)
	}
	if p.dropped {
		end := len(p.src.Text)
		to.Add(diag.Diagnostic{
			Code: "OE0053", Place: p.src.place(Span{end, end}),
			Message: fmt.Sprintf("this file has more syntax errors; the first %d are listed", maxDiagnostics),
			Help:    "mend those and check again",
		})
	}
}
