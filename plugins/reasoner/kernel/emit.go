package kernel

import "github.com/ox-mcp/ox-mcp/abi"

// mix is the factor of the hashes of package relation, as the signed number that
// an instruction takes.
const mix = -0x61C8864680B583EB

// Of the function's locals the first is its parameter, the next are of 64 bits,
// and the rest of 32.
const (
	hash = 1 + iota
	word
	firstWord
)

type emitter struct {
	assembler
	shape  *Shape
	params []Param
	locals []int // of params
	terms  []Source
	values []int // locals of terms
	words  int
	next   int // the innermost loop
	exit   int
	at     int
	rows   int // offset in bytes
	room   int
}

// Emit makes the kernel of a shape, and says which words its function reads, one
// behind another, where its parameter points to.
func Emit(s *Shape) ([]byte, []Param) {
	e := &emitter{shape: s}
	e.at, e.rows, e.room = e.param(At, 0, 0), e.param(Rows, 0, 0), e.param(Room, 0, 0)
	e.exit = e.block()
	e.next = e.loop()
	e.get(e.at)
	e.get(e.param(To, 0, 0))
	e.op(i32GeU)
	e.brIf(e.exit)
	for _, c := range s.Steps[0].Cols {
		e.element(e.param(Column, 0, c), e.at)
		e.load32(0)
		e.set(e.value(Source{0, c}))
	}
	e.advance(e.at)
	for k := 1; k < len(s.Steps); k++ {
		e.step(k)
	}
	e.add()
	e.br(e.next)
	for e.depth > 0 {
		e.end()
	}
	for i, local := range []int{e.at, e.rows} {
		e.get(0)
		e.get(local)
		e.store32(4 * i)
	}
	body := e.code
	e.code = nil
	for i, local := range e.locals {
		e.get(0)
		e.load32(4 * i)
		e.set(local)
	}
	return module(abi.ImportKernel, abi.KernelMemory, firstWord-hash, e.words, append(e.code, body...)), e.params
}

// local takes a new local of 32 bits.
//
//go:noinline
func (e *emitter) local() int {
	e.words++
	return firstWord + e.words - 1
}

// param is the local of a parameter.
//
//go:noinline
func (e *emitter) param(what What, step, col int) int {
	p := Param{what, step, col}
	for i, q := range e.params {
		if p == q {
			return e.locals[i]
		}
	}
	e.params, e.locals = append(e.params, p), append(e.locals, e.local())
	return e.locals[len(e.locals)-1]
}

// value is the local of a term.
//
//go:noinline
func (e *emitter) value(x Source) int {
	if x.Step < 0 {
		return e.param(Term, 0, x.Col)
	}
	for i, y := range e.terms {
		if x == y {
			return e.values[i]
		}
	}
	e.terms, e.values = append(e.terms, x), append(e.values, e.local())
	return e.values[len(e.values)-1]
}

// element leaves an address that lies an offset behind a list.
//
//go:noinline
func (e *emitter) element(list, offset int) {
	e.get(offset)
	e.get(list)
	e.op(i32Add)
}

// advance moves an offset on by a word.
//
//go:noinline
func (e *emitter) advance(offset int) {
	e.get(offset)
	e.i32(4)
	e.op(i32Add)
	e.set(offset)
}

// scaled makes a number an offset.
//
//go:noinline
func (e *emitter) scaled() {
	e.i32(2)
	e.op(i32Shl)
}

// unless goes on with the next row where the entry is no row from Lo on.
//
//go:noinline
func (e *emitter) unless(k, entry int) {
	e.get(entry)
	e.get(e.param(Lo, k, 0))
	e.op(i32LeU)
	e.brIf(e.next)
}

func (e *emitter) step(k int) {
	s := &e.shape.Steps[k]
	entry := 0
	switch s.Kind {
	case Equal, Unequal:
		e.get(e.value(s.Keys[0]))
		e.get(e.value(s.Keys[1]))
		if s.Kind == Equal {
			e.op(i32Ne)
		} else {
			e.op(i32Eq)
		}
		e.brIf(e.next)
		return
	case Member:
		entry, _ = e.find(k, s.Keys, Column)
		e.unless(k, entry)
		e.get(entry)
		e.get(e.param(Hi, k, 0))
		e.op(i32GtU)
		e.brIf(e.next)
		return
	case Dense:
		entry = e.address(k, s.Keys[0])
	default:
		entry, _ = e.find(k, s.Keys, Key)
	}
	if s.Any {
		e.unless(k, entry)
		return
	}
	chain, offset := e.loop(), e.local()
	e.unless(k, entry)
	e.next = chain
	e.get(entry)
	e.scaled()
	e.set(offset)
	for _, c := range s.Cols {
		e.element(e.param(Column, k, c), offset)
		e.load32(0)
		e.set(e.value(Source{k, c}))
	}
	e.element(e.param(Next, k, 0), offset)
	e.load32(0)
	e.set(entry)
}

// address looks a key up in a table that it addresses.
func (e *emitter) address(k int, key Source) (entry int) {
	entry = e.local()
	last := e.param(Last, k, 0)
	// A key of another tag has a large number.
	e.get(e.value(key))
	e.get(e.param(Tag, k, 0))
	e.op(i32Xor)
	e.tee(entry)
	e.get(last)
	e.get(entry)
	e.get(last)
	e.op(i32LtU, opSelect)
	e.scaled()
	e.get(e.param(Table, k, 0))
	e.op(i32Add)
	e.load32(0)
	e.set(entry)
	return entry
}

// find looks a tuple up in a table of hashes, whose entries are rows plus one of
// columns that are parameters. It leaves the entry, 0 where there is none, and
// the offset of its place.
func (e *emitter) find(k int, keys []Source, columns What) (entry, place int) {
	entry, place = e.local(), e.local()
	offset := e.local()
	for i, x := range keys {
		e.get(e.value(x))
		e.op(extend)
		switch {
		case len(keys) == 2 && i == 0:
			e.i64(32)
			e.op(i64Shl)
		case len(keys) == 2:
			e.op(i64Or)
		case len(keys) == 3:
			if i > 0 {
				e.get(hash)
				e.op(i64Xor)
			}
			e.i64(mix)
			e.op(i64Mul)
			e.tee(hash)
			e.get(hash)
			e.i64(29)
			e.op(i64ShrU, i64Xor)
			e.set(hash)
			if i == 2 {
				e.get(hash)
			}
		}
	}
	e.i64(mix)
	e.op(i64Mul)
	e.get(e.param(Shift, k, 0))
	e.op(extend, i64ShrU, wrap)
	table, mask := e.param(Table, k, 0), e.param(Mask, k, 0)
	e.get(mask)
	e.op(i32And)
	e.set(place)
	done := e.block()
	probe := e.loop()
	e.element(table, place)
	e.load32(0)
	e.tee(entry)
	e.op(i32Eqz)
	e.brIf(done)
	e.get(entry)
	e.scaled()
	e.set(offset)
	for i, x := range keys {
		e.element(e.param(columns, k, i), offset)
		e.load32(0)
		e.get(e.value(x))
		e.op(i32Xor)
		if i > 0 {
			e.op(i32Or)
		}
	}
	e.op(i32Eqz)
	e.brIf(done)
	e.get(place)
	e.i32(4)
	e.op(i32Add)
	e.get(mask)
	e.op(i32And)
	e.set(place)
	e.br(probe)
	e.end()
	e.end()
	return entry, place
}

// add adds the head's tuple, if it is new.
func (e *emitter) add() {
	head := len(e.shape.Steps)
	if e.shape.Matrix {
		address := e.mark(head)
		e.write(head)
		e.get(address)
		e.get(word)
		e.i64(1)
		e.get(hash)
		e.op(i64Shl, i64Or)
		e.store64(0)
		return
	}
	entry, place := e.find(head, e.shape.Head, Column)
	e.get(entry)
	e.brIf(e.next)
	e.write(head)
	e.element(e.param(Table, head, 0), place)
	e.get(e.rows)
	e.i32(2)
	e.op(i32ShrU)
	e.store32(0)
}

// write puts the tuple behind the head's rows. Where there is no room it stops,
// and the row of the delta is to be looked at again.
func (e *emitter) write(head int) {
	e.get(e.rows)
	e.get(e.room)
	e.op(i32GeU)
	e.iff()
	e.get(e.at)
	e.i32(4)
	e.op(i32Sub)
	e.set(e.at)
	e.br(e.exit)
	e.end()
	e.advance(e.rows)
	for c, x := range e.shape.Head {
		e.element(e.param(Column, head, c), e.rows)
		e.get(e.value(x))
		e.store32(0)
	}
}

// mark finds the word and the bit of the head's pair, and goes on with the next
// row where it is set.
func (e *emitter) mark(head int) (address int) {
	address = e.local()
	e.get(e.value(e.shape.Head[0]))
	e.i32(int32(abi.PayloadMask))
	e.op(i32And, extend)
	e.get(e.param(Dim, head, 0))
	e.op(extend, i64Mul)
	e.get(e.value(e.shape.Head[1]))
	e.i32(int32(abi.PayloadMask))
	e.op(i32And, extend, i64Add)
	e.tee(hash)
	e.i64(6)
	e.op(i64ShrU, wrap)
	e.i32(3)
	e.op(i32Shl)
	e.get(e.param(Bits, head, 0))
	e.op(i32Add)
	e.tee(address)
	e.load64(0)
	e.tee(word)
	e.get(hash)
	e.op(i64ShrU, wrap)
	e.i32(1)
	e.op(i32And)
	e.brIf(e.next)
	return address
}
