package wasmtest

// The layout of a Guest's memory.
const (
	areaAt    = 16
	AnswerAt  = 64   // 8 bytes that are the answer of every call
	RequestAt = 4096 // where requests are written
)

// Guest is a module that follows the plugin's calling convention: memory,
// cabi_realloc, and exports that answer with the eight bytes at AnswerAt.
type Guest struct {
	Builder
	exchange uint32
}

// NewGuest returns a guest with the given initial pages (at least one).
// Imports, if any, are added by the function given; it runs first.
func NewGuest(pages uint32, imports func(*Builder)) *Guest {
	g := &Guest{}
	if imports != nil {
		imports(&g.Builder)
	}
	g.Memory(pages)
	g.Export("memory", KindMemory, 0)
	realloc := g.Type([]byte{I32, I32, I32, I32}, []byte{I32})
	g.Export("cabi_realloc", KindFunc, g.Func(realloc, nil, I32Const(RequestAt)))
	g.exchange = g.Type([]byte{I32, I32}, []byte{I32})
	g.Data(areaAt, []byte{0, 0, 0, 0, AnswerAt, 0, 0, 0, 8, 0, 0, 0})
	return g
}

// Answer is code that returns the return area.
func Answer() []byte { return I32Const(areaAt) }

// Exchange adds an export of the calling convention: locals 0 and 1 are the
// request's address and length. The body leaves nothing on the stack.
func (g *Guest) Exchange(name string, locals []byte, body ...[]byte) uint32 {
	f := g.Func(g.exchange, locals, append(body, Answer())...)
	g.Export(name, KindFunc, f)
	return f
}
