package syntax

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
)

// introducedOrMisspelt reads a declaration that begins with a word of the
// package's own. Where it does not read, and the word is nearly one that the
// language has, that word was meant.
func (p *parser) introducedOrMisspelt(d Decl, word string) Item {
	at, before := p.tok().span(), len(p.found)
	it := p.introduced(d)
	if !p.failed {
		return it
	}
	end := p.start()
	if len(p.found) > before {
		end = p.found[before].Place.Start
	}
	meant, near := diag.Nearest(word, slices.Collect(maps.Keys(itemWords)))
	if !near || end <= at.Start || strings.Contains(p.src.Text[at.Start:end], "{") {
		return it
	}
	if len(p.found) == before {
		return &Bad{d} // it follows from what was reported
	}
	p.found[before] = diag.Diagnostic{
		Code: "OE0001", Place: p.src.place(at), Message: fmt.Sprintf("found `%s` where a declaration should stand", word),
		Help: "did you mean `" + meant + "`?",
	}
	p.found = p.found[:before+1]
	return &Bad{d}
}
