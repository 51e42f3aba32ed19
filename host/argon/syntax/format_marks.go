package syntax

import (
	"cmp"
	"slices"
)

// layout decides from the tree where blanks stand and lines may break.
func (f *formatter) layout(file *File) {
	Visit(file, func(part any) bool {
		f.parts = append(f.parts, part)
		return true
	})
	f.moveRemarks(macroInput(file))
	f.signs()
	f.pair()
	root := f.group(0, len(f.pieces)-1)
	root.must = true
	f.lists()
	f.each(f.spaces)
	f.itemList(file.Items, 0, root, 0)
	f.each(f.lines)
}

// macroInput gives the parts of a file that macros look at or are made of,
// sorted. There a comma at the end of a list can have a meaning.
func macroInput(file *File) []Span {
	var out []Span
	Visit(file, func(part any) bool {
		at := Span{}
		switch x := part.(type) {
		case *Decl:
			for i := range x.Attrs {
				if !IsDirective(x.Attrs[i].Name.String()) {
					at = Span{x.Attrs[0].Start, x.End}
				}
			}
		case *Attr:
			at = x.Span
		case *Macro:
			at = x.Decl.Span
		case *MacroCall:
			at = x.Decl.Span
		case *MacroExpr:
			at = x.Span
		case *ProcMacro:
			at = x.Tokens
		}
		if at.End > at.Start {
			out = append(out, at)
		}
		return true
	})
	slices.SortFunc(out, func(a, b Span) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End)) })
	joined := out[:0]
	for _, at := range out {
		if n := len(joined); n > 0 && at.Start < joined[n-1].End {
			joined[n-1].End = max(joined[n-1].End, at.End)
			continue
		}
		joined = append(joined, at)
	}
	return joined
}

// each calls do with the parts of the tree, from the outside in.
func (f *formatter) each(do func(part any)) {
	for _, part := range f.parts {
		do(part)
	}
}

// signs cuts the signs in two that the lexer could not know to be two.
func (f *formatter) signs() {
	second := map[int]kind{} // by where the second sign begins
	f.each(func(part any) {
		name := Ident{}
		switch x := part.(type) {
		case *FieldInit:
			name = x.Name
		case *AxisBinding:
			name = x.Axis
		case *NamedType:
			second[x.End] = tAssign
		}
		if i := f.after(name.End); name.End > 0 && f.kindAt(i) == tNeck {
			second[f.pieces[i].start+1] = tMinus
		}
	})
	first := map[kind]kind{tGe: tGt, tNeck: tColon}
	var out []*piece
	for _, q := range f.pieces {
		out = append(out, q)
		k := second[q.start+1]
		if q.seen { // a macro sees one sign
			continue
		}
		if q.kind == tGe && k == tAssign || q.kind == tNeck && k == tMinus {
			q.kind = first[q.kind]
			q.text = spelling[q.kind]
			out = append(out, &piece{kind: k, text: spelling[k], start: q.start + 1, end: q.end, match: -1, inside: -1})
			q.end = q.start + 1
		}
	}
	f.pieces = out
	f.number()
}

// pair finds the pairs of brackets, with those of types and closures.
func (f *formatter) pair() {
	var stack []int
	closes := map[int]bool{} // the < > and | | that are brackets
	opens := map[int]bool{}
	f.each(func(part any) {
		switch x := part.(type) {
		case *NamedType:
			if i, ok := f.ends[x.Path.End]; ok && x.End > x.Path.End && f.kindAt(i+1) == tLt {
				if j, ok := f.ends[x.End]; ok && f.kindAt(j) == tGt {
					opens[i+1], closes[j] = true, true
				}
			}
		case *Struct:
			f.pairParams(x.Name, opens, closes)
		case *Enum:
			f.pairParams(x.Name, opens, closes)
		case *Fn:
			f.pairParams(x.Name, opens, closes)
		case *Closure:
			i, ok := f.starts[x.Start]
			if !ok || f.kindAt(i) != tBar {
				break
			}
			j := i + 1
			if n := len(x.Params); n > 0 {
				j = f.after(x.Params[n-1].End)
			}
			if f.kindAt(j) == tComma {
				j++
			}
			if f.kindAt(j) == tBar {
				opens[i], closes[j] = true, true
			}
		}
	})
	for i, q := range f.pieces {
		if len(stack) > 0 {
			q.inside = stack[len(stack)-1]
		}
		switch {
		case closes[i] || isClose(q.kind) && q.kind != tGt:
			if len(stack) > 0 {
				open := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				q.match, f.pieces[open].match = open, i
				q.inside = f.pieces[open].inside
			}
		case opens[i]:
			q.noBreaks = true
			stack = append(stack, i)
		case isOpening(q.kind):
			stack = append(stack, i)
		}
	}
	for i := range f.pieces {
		if opens[i] {
			if f.pieces[i].kind == tLt {
				f.pieces[i].gap = gapNone
			}
			f.tightBehind(i)
			close := f.pieces[f.pieces[i].match]
			close.gap = gapNone
			if close.seen && close.written && close.match == i && f.pieces[i].match == i+1 && close.kind == tBar {
				close.gap = gapBlank // a macro sees two signs
			}
		}
	}
}

// pairParams marks the < > of the type parameters behind a name.
func (f *formatter) pairParams(name Ident, opens, closes map[int]bool) {
	i := f.after(name.End)
	if f.kindAt(i) != tLt {
		return
	}
	depth := 0
	for j := i; j < len(f.pieces); j++ {
		switch f.kindAt(j) {
		case tLt:
			depth++
		case tGt:
			depth--
		}
		if depth == 0 {
			opens[i], closes[j] = true, true
			return
		}
	}
}

func (f *formatter) kindAt(i int) kind {
	if i < 0 || i >= len(f.pieces) {
		return tEOF
	}
	return f.pieces[i].kind
}

// after is the piece behind the one that ends at an offset, or -1.
func (f *formatter) after(end int) int {
	if i, ok := f.ends[end]; ok {
		return i + 1
	}
	return -1
}

func (f *formatter) tightBehind(i int) {
	if i+1 < len(f.pieces) && len(f.pieces[i+1].inline) == 0 {
		f.pieces[i+1].gap = gapNone
	}
}

func (f *formatter) word(i int, w string) bool {
	return i >= 0 && i < len(f.pieces) && f.pieces[i].kind == tIdent && f.pieces[i].text == w && !f.pieces[i].name
}

// lists makes a group of each pair of brackets, which breaks behind its opening
// bracket and its commas.
func (f *formatter) lists() {
	for i, q := range f.pieces {
		if q.match <= i || !isOpening(q.kind) && q.kind != tLt && q.kind != tBar {
			continue
		}
		g := f.group(i, q.match)
		f.bracket[i] = g
		if q.noBreaks || !isOpen(q.kind) {
			continue
		}
		f.breakAt(i+1, g, 1)
		f.breakAt(q.match, g, 0)
	}
	for i, q := range f.pieces {
		if q.kind != tComma || q.inside < 0 || i+1 >= len(f.pieces) {
			continue
		}
		if open := f.pieces[q.inside]; isOpen(open.kind) && !open.noBreaks && f.pieces[i+1].match != q.inside {
			f.breakAt(i+1, f.bracket[q.inside], 1)
			f.pieces[i+1].keep = true
		}
	}
}

// noBreaks takes the breaks of a bracket back, which is small.
func (f *formatter) noBreaks(open int) {
	if open < 0 || f.pieces[open].match < 0 {
		return
	}
	g := f.bracket[open]
	f.pieces[open].noBreaks = true
	for i := open + 1; i <= f.pieces[open].match; i++ {
		if q := f.pieces[i]; q.breaks == g {
			q.breaks, q.keep = nil, false
		}
	}
}

// spaces marks names, unary signs, brackets without blanks and what is kept as
// it is written.
func (f *formatter) spaces(part any) {
	switch x := part.(type) {
	case *Ident:
		if i, ok := f.starts[x.Start]; ok && x.End > x.Start && f.pieces[i].kind == tIdent {
			f.pieces[i].name = true
		}
	case *Unary:
		if i, ok := f.starts[x.Start]; ok {
			f.tightBehind(i)
		}
	case *LitPattern:
		if i, ok := f.starts[x.Start]; ok && f.kindAt(i) == tMinus {
			f.tightBehind(i)
		}
	case *Attr:
		f.attr(x)
	case *Concept:
		if len(x.InstanceOf) > 0 {
			if i, ok := f.starts[x.InstanceOf[0].Start]; ok && i > 0 {
				f.pieces[i-1].gap = gapBlank
			}
		}
	case *Relation:
		for _, c := range x.Cardinalities {
			if i, ok := f.starts[c.Start]; ok {
				f.pieces[i].gap = gapBlank
				f.noBreaks(i)
			}
		}
	case *Period:
		if i, ok := f.starts[x.Start]; ok {
			f.pieces[i].gap = gapBlank
		}
	case *ListType:
		f.noBreaksAt(x.Start)
	case *Index:
		f.noBreaksBefore(x.End)
	case *Slice:
		f.noBreaksBefore(x.End)
	case *MetricAtom:
		f.distance(x)
	case *Step:
		f.step(x)
	case *Decl:
		f.visibility(x)
	case *Macro:
		for _, arm := range x.Arms {
			f.keepInside(arm.Pattern)
			f.keepInside(arm.Template)
		}
	case *MacroCall:
		f.macroUse(x.Macro, x.Tokens)
	case *MacroExpr:
		f.macroUse(x.Macro, x.Tokens)
	case *ProcMacro:
		f.keep(x.Tokens)
	case *Unsupported:
		f.keep(x.Span)
	case *UnsupportedAtom:
		f.keep(x.Span)
	case *UnsupportedExpr:
		f.keep(x.Span)
	case *UnsupportedStmt:
		f.keep(x.Span)
	case *RefusedClause:
		f.keep(x.Span)
	}
}

// macroUse keeps the `!` behind the macro's name, and what the macro looks at
// as it is written.
func (f *formatter) macroUse(macro Path, tokens Span) {
	if i := f.after(macro.End); i >= 0 {
		f.pieces[i].gap = gapNone
		f.tightBehind(i)
		if f.kindAt(i+1) == tLBrace {
			f.pieces[i+1].gap = gapBlank
		}
	}
	f.keepInside(tokens)
}

func (f *formatter) noBreaksAt(start int) {
	if i, ok := f.starts[start]; ok {
		f.noBreaks(i)
	}
}

func (f *formatter) noBreaksBefore(end int) {
	if i, ok := f.ends[end]; ok {
		f.noBreaks(f.pieces[i].match)
	}
}

// attr takes every word inside an attribute for a name.
func (f *formatter) attr(a *Attr) {
	i, ok := f.starts[a.Start]
	if !ok {
		return
	}
	for j := i + 1; j < f.pieces[i].match; j++ {
		f.pieces[j].name = f.pieces[j].kind == tIdent
	}
}

func (f *formatter) distance(x *MetricAtom) {
	if i, ok := f.starts[x.Start]; ok && x.Ranged {
		if len(x.Left) > 0 && x.Left[0].Range().Start == x.Start {
			i = f.after(x.Left[0].Range().End)
			for i >= 0 && f.kindAt(i) == tRParen {
				i++
			}
		}
		if i < 0 || f.kindAt(i+1) != tLBracket {
			return
		}
		f.noBreaks(i + 1)
		if j := f.pieces[i+1].match + 1; f.kindAt(j) == tLParen && x.Word != "" && (len(x.Left) == 0 || x.Left[0].Range().Start != x.Start) {
			f.pieces[j].gap = gapNone
		}
	}
}

func (f *formatter) step(x *Step) {
	i := f.after(x.Name.End)
	if i < 0 || !x.Quantified {
		return
	}
	f.pieces[i].gap = gapNone
	if f.kindAt(i) == tLBrace {
		f.pieces[i].tight = true
		f.noBreaks(i)
		i = f.pieces[i].match
	}
	if f.kindAt(i+1) == tLParen {
		f.pieces[i+1].gap = gapNone
	}
}

func (f *formatter) visibility(d *Decl) {
	if i, ok := f.starts[d.Start]; ok && d.Vis == PubPackage {
		if n := len(d.Attrs); n > 0 {
			i = f.after(d.Attrs[n-1].End)
		}
		if f.word(i, "pub") && f.kindAt(i+1) == tLParen {
			f.noBreaks(i + 1)
		}
	}
}

// useBraces takes the blanks out of the braces of a `use` from piece first to
// piece last.
func (f *formatter) useBraces(first, last int) {
	for i := first; i <= last; i++ {
		if f.kindAt(i) == tLBrace {
			f.pieces[i].tight = true
			f.pieces[i].gap = gapNone
			f.tightBehind(i)
		}
	}
}

// keepInside keeps what is written between brackets.
func (f *formatter) keepInside(at Span) {
	open, ok := f.ends[at.Start]
	if !ok || f.pieces[open].match < 0 {
		return
	}
	for i := open + 1; i <= f.pieces[open].match; i++ {
		f.keepBefore(i)
	}
	f.pieces[open].plain = true
}

// keep keeps a part as it is written.
func (f *formatter) keep(at Span) {
	first, ok := f.starts[at.Start]
	if !ok {
		return
	}
	for i := first + 1; i < len(f.pieces) && f.pieces[i].end <= at.End; i++ {
		f.keepBefore(i)
		if m := f.pieces[i].match; m >= 0 && m < i {
			f.pieces[m].plain = true
		}
	}
}

func (f *formatter) keepBefore(i int) {
	q := f.pieces[i]
	q.verbatim, q.breaks, q.keep = true, nil, false
}
