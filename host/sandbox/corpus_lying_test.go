package sandbox

import (
	"bytes"

	"github.com/ox-mcp/ox-mcp/abi"
	. "github.com/ox-mcp/ox-mcp/host/sandbox/wasmtest"
)

// lyingModules are specimens that break the calling convention.
func lyingModules() []specimen {
	var list []specimen
	out := func(what string, kind Kind, limit string, wasm []byte) {
		list = append(list, specimen{what: what, wasm: wasm, stopped: kind, limit: limit})
	}
	const area = 16
	// answering answers with the bytes, as a failure or not.
	answering := func(discriminant int32, text []byte) []byte {
		return attackWith(nil, func(g *Guest) {
			g.Data(32768, text)
			g.Exchange("attack", nil, store(area, discriminant, 32768, int32(len(text))))
		})
	}
	// receiving has a cabi_realloc of its own.
	receiving := func(imports func(*Builder), code ...[]byte) []byte {
		var m Builder
		if imports != nil {
			imports(&m)
		}
		m.Memory(2)
		m.Export("memory", KindMemory, 0)
		m.Export(exportRealloc, KindFunc, m.Func(m.Type([]byte{I32, I32, I32, I32}, []byte{I32}), nil, code...))
		attack := []([]byte){}
		if imports != nil {
			attack = append(attack, I32Const(0), I32Const(4), I32Const(256), Call(0))
		}
		m.Export("attack", KindFunc, m.Func(m.Type([]byte{I32, I32}, []byte{I32}), nil, append(attack, I32Const(area))...))
		return m.Bytes()
	}
	facts := func(m *Builder) { m.Import(abi.ImportFacts, scanName, m.Type([]byte{I32, I32, I32}, nil)) }

	out("an answer longer than the limit", Output, abi.LimitOutput, attack(nil, store(area, 0, 0, 5000)))
	out("an answer of four gigabytes", Output, abi.LimitOutput, attack(nil, store(area, 0, 0, -1)))
	out("an answer behind the memory", BadOutput, "", attack(nil, store(area, 0, 131072, 4)))
	out("an answer that wraps around", BadOutput, "", attack(nil, store(area, 0, -4, 8)))
	out("an answer of neither kind", BadOutput, "", attack(nil, store(area, 2, 0, 0)))
	out("a return area outside the memory", BadOutput, "", attackWith(nil, func(g *Guest) {
		g.Export("attack", KindFunc, g.Func(g.Type([]byte{I32, I32}, []byte{I32}), nil, I32Const(131070)))
	}))
	out("a return area at the end of all addresses", BadOutput, "", attackWith(nil, func(g *Guest) {
		g.Export("attack", KindFunc, g.Func(g.Type([]byte{I32, I32}, []byte{I32}), nil, I32Const(-1)))
	}))
	out("a failure that is no CBOR", BadOutput, "", answering(1, []byte("no, no, no")))
	out("a failure nested without end", BadOutput, "", answering(1, bytes.Repeat([]byte{0x81}, 4000)))
	out("a failure that announces a giant", BadOutput, "", answering(1, []byte{0x9B, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}))
	out("a failure of indefinite length", BadOutput, "", answering(1, append(bytes.Repeat([]byte{0x9F}, 2000), bytes.Repeat([]byte{0xFF}, 2000)...)))
	out("an empty failure", BadOutput, "", answering(1, nil))
	list = append(list,
		specimen{what: "an honest failure", wasm: answering(1, (&abi.Failure{Code: abi.FailureEval, Message: "no", Rule: -1}).AppendCBOR(nil))},
		specimen{what: "an answer that is no CBOR is not the sandbox's affair", wasm: answering(0, bytes.Repeat([]byte{0x81}, 4000))},
		specimen{what: "names for functions that are not there", wasm: attackWith(nil, func(g *Guest) {
			g.Exchange("attack", nil)
			g.FuncNames(FuncName{Index: 1 << 30, Name: "x"})
		})},
	)

	out("a realloc that gives the last address", BadOutput, "", receiving(nil, I32Const(-1)))
	out("a realloc that gives too little", BadOutput, "", receiving(nil, I32Const(131064)))
	out("a realloc that does not end", OutOfFuel, abi.LimitFuel, receiving(nil, forever(), I32Const(0)))
	out("a realloc that traps", Crash, "", receiving(nil, Op(Unreachable)))
	out("a realloc that asks for facts meanwhile", BadOutput, "", receiving(facts, I32Const(0), I32Const(4), I32Const(256), Call(0), I32Const(4096)))
	out("a realloc that does not end, for facts", OutOfFuel, abi.LimitFuel, receiving(facts, LocalGet(3), I32Const(16), Op(I32GtU), If(Empty), forever(), Op(End), I32Const(4096)))
	asking := func(ptr, size, into int32, more ...[]byte) []byte {
		return attackWith(facts, func(g *Guest) {
			g.Exchange("attack", nil, append([][]byte{I32Const(ptr), I32Const(size), I32Const(into), Call(0)}, more...)...)
		})
	}
	out("a request for facts outside the memory", BadOutput, "", asking(131070, 8, 256))
	out("facts into nowhere", BadOutput, "", asking(0, 4, -4))
	out("a request for facts of a megabyte", HostCalls, abi.LimitHostBytes, asking(0, 1<<20, 256))
	out("facts without end", HostCalls, abi.LimitHostCalls, attackWith(facts, func(g *Guest) {
		g.Exchange("attack", nil, again(I32Const(0), I32Const(4), I32Const(256), Call(0)))
	}))
	list = append(list, specimen{what: "a request for facts that makes no sense", wasm: asking(0, 4, 256)})
	out("a crash behind a good answer", Crash, "", attackWith(nil, func(g *Guest) {
		g.Exchange("attack", nil)
		g.Export(postPrefix+"attack", KindFunc, g.Func(g.Type([]byte{I32}, nil), nil, Op(Unreachable)))
	}))
	return list
}
