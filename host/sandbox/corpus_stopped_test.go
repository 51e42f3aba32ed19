package sandbox

import (
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	. "github.com/ox-mcp/ox-mcp/host/sandbox/wasmtest"
)

// again repeats code for ever.
func again(code ...[]byte) []byte { return concat(Loop(Empty), concat(code...), Br(0), Op(End)) }

func importLog(m *Builder) { m.Import(abi.ImportLog, logName, m.Type([]byte{I32, I32, I32}, nil)) }

// importWASI imports a stub as function 0.
func importWASI(name string) func(*Builder) {
	return func(m *Builder) {
		for _, s := range append(wasiStubs(), stub{name: exitName, typ: exitType}) {
			if s.name == name {
				params, results := valueTypes(s.typ)
				m.Import(wasiModule, name, m.Type(params, results))
			}
		}
	}
}

// stoppedModules are specimens that run into a limit.
func stoppedModules() []specimen {
	var list []specimen
	out := func(what string, kind Kind, limit string, wasm []byte) {
		list = append(list, specimen{what: what, wasm: wasm, stopped: kind, limit: limit})
	}
	fuel := func(what string, wasm []byte) { out(what, OutOfFuel, abi.LimitFuel, wasm) }
	with := func(imports func(*Builder), locals []byte, code ...[]byte) []byte {
		return attackWith(imports, func(g *Guest) { g.Exchange("attack", locals, code...) })
	}
	recursion := func(add func(g *Guest, unit uint32) (entry uint32)) []byte {
		return attackWith(nil, func(g *Guest) {
			g.Table(0, 4)
			f := add(g, g.Type(nil, nil))
			g.Exchange("attack", nil, Call(f))
		})
	}

	fuel("a loop", attack(nil, forever()))
	fuel("a loop of calls", attackWith(nil, func(g *Guest) {
		f := g.Func(g.Type(nil, nil), nil)
		g.Exchange("attack", nil, again(Call(f)))
	}))
	fuel("loops in loops", attack([]byte{I64}, Loop(Empty), Loop(Empty), Loop(Empty), I32Const(1), BrIf(0), Op(End), Op(End), Op(End)))
	fuel("a loop through a br_table", attack([]byte{I32}, Loop(Empty), Block(Empty), Block(Empty), LocalGet(2), BrTable(2, 0, 1, 2), Op(End), Op(End), Br(0), Op(End)))
	fuel("a loop in a block with results", attack(nil, Loop(Empty), Block(I32), I32Const(1), Op(End), BrIf(0), Op(End)))
	fuel("a tree of calls of depth 100", callTree())
	fuel("memory filled again and again", attack(nil, again(I32Const(0), I32Const(1), I32Const(131072), Bulk(MemoryFill, 0))))
	fuel("memory copied again and again", attack(nil, again(I32Const(0), I32Const(8), I32Const(100_000), Bulk(MemoryCopy, 0, 0))))
	fuel("a table filled again and again", attackWith(nil, func(g *Guest) {
		g.Table(U32([]byte{0}, 200_000)...)
		g.Exchange("attack", nil, again(I32Const(0), []byte{0xD0, Funcref}, I32Const(200_000), Bulk(TableFill, 0)))
	}))
	fuel("growth by nothing again and again", attack(nil, again(I32Const(0), MemoryGrow(), Op(Drop))))
	fuel("growth that is refused again and again", attack(nil, again(I32Const(1), MemoryGrow(), Op(Drop))))
	fuel("growth by everything", attack(nil, I32Const(-1), MemoryGrow(), Op(Drop)))
	list[len(list)-1].unpaid = true
	fuel("slow divisions", attack(nil, again(I64Const(-1), I64Const(3), Op(0x7F), Op(Drop))))
	fuel("clock readings", with(importWASI("clock_time_get"), nil, again(I32Const(0), I64Const(0), I32Const(128), Call(0), Op(Drop))))
	fuel("random bytes", with(importWASI("random_get"), nil, again(I32Const(8192), I32Const(100_000), Call(0), Op(Drop))))
	fuel("yields", with(importWASI("sched_yield"), nil, again(Call(0), Op(Drop))))
	fuel("polls of a thousand subscriptions", with(importWASI("poll_oneoff"), nil, again(I32Const(8192), I32Const(65536), I32Const(1024), I32Const(128), Call(0), Op(Drop))))
	// A write whose 1,024 pieces are the same 60,000 bytes each.
	pieces := concat(I32Const(1024), LocalSet(2), Loop(Empty),
		LocalGet(2), I32Const(8), Op(I32Mul), I32Const(8192), I32Store(0),
		LocalGet(2), I32Const(8), Op(I32Mul), I32Const(60_000), I32Store(4),
		LocalGet(2), I32Const(1), Op(I32Sub), LocalTee(2), BrIf(0), Op(End))
	fuel("a flood of standard output", with(importWASI("fd_write"), []byte{I32}, pieces, again(I32Const(1), I32Const(8), I32Const(1023), I32Const(32), Call(0), Op(Drop))))
	fuel("work behind the answer", attackWith(nil, func(g *Guest) {
		g.Exchange("attack", nil)
		g.Export(postPrefix+"attack", KindFunc, g.Func(g.Type([]byte{I32}, nil), nil, forever()))
	}))

	out("recursion", Depth, abi.LimitDepth, recursion(func(g *Guest, unit uint32) uint32 {
		f := g.Next()
		return g.Func(unit, nil, Call(f))
	}))
	out("mutual recursion", Depth, abi.LimitDepth, recursion(func(g *Guest, unit uint32) uint32 {
		f := g.Next()
		g.Func(unit, nil, Call(f+1))
		return g.Func(unit, nil, Call(f))
	}))
	out("recursion through a table", Depth, abi.LimitDepth, recursion(func(g *Guest, unit uint32) uint32 {
		f := g.Func(unit, nil, I32Const(0), CallIndirect(unit, 0))
		g.Element(0, f)
		return f
	}))
	out("recursion with many locals", Depth, abi.LimitDepth, recursion(func(g *Guest, unit uint32) uint32 {
		f := g.Next()
		locals := make([]byte, 900)
		for i := range locals {
			locals[i] = I64
		}
		return g.Func(unit, locals, Call(f), LocalGet(899), Op(Drop))
	}))

	or := concat(I32Const(-1), Op(I32Eq), If(Empty), Op(Unreachable), Op(End))
	out("a memory bomb", OutOfMemory, abi.LimitMemory, attack(nil, I32Const(1000), MemoryGrow(), or))
	out("memory by the page", OutOfMemory, abi.LimitMemory, attack(nil, again(I32Const(1), MemoryGrow(), or)))
	out("memory, then an exit", OutOfMemory, abi.LimitMemory, with(importWASI(exitName), nil, I32Const(1000), MemoryGrow(), Op(Drop), I32Const(2), Call(0)))

	line := func(ptr, size int32) []byte { return concat(I32Const(1), I32Const(ptr), I32Const(size), Call(0)) }
	out("a flood of empty log lines", HostCalls, abi.LimitHostCalls, with(importLog, nil, again(line(0, 0))))
	out("a flood of long log lines", HostCalls, abi.LimitHostBytes, with(importLog, nil, again(line(0, 4000))))
	out("a log line of four gigabytes", OutOfFuel, abi.LimitFuel, with(importLog, nil, line(0, -1)))
	list[len(list)-1].unpaid = true
	out("a log line of a megabyte", HostCalls, abi.LimitHostBytes, with(importLog, nil, line(0, 1<<20)))
	out("a log line outside the memory", BadOutput, "", with(importLog, nil, line(131070, 4)))

	out("unreachable", Crash, "", attack(nil, Op(Unreachable)))
	out("a division by zero", Crash, "", attack(nil, I32Const(1), I32Const(0), Op(I32DivU), Op(Drop)))
	out("a read behind the memory", Crash, "", attack(nil, I32Const(-1), I32Load(0), Op(Drop)))
	out("a write far behind the memory", Crash, "", attack(nil, I32Const(-1), I32Const(1), I32Store(0xFFFFFFFF)))
	out("a call of an empty place", Crash, "", attackWith(nil, func(g *Guest) {
		g.Table(0, 1)
		g.Exchange("attack", nil, I32Const(0), CallIndirect(g.Type(nil, nil), 0))
	}))
	out("a call with another type", Crash, "", attackWith(nil, func(g *Guest) {
		g.Table(0, 1)
		g.Element(0, g.Func(g.Type([]byte{F64}, nil), nil))
		g.Exchange("attack", nil, I32Const(0), CallIndirect(g.Type(nil, nil), 0))
	}))
	out("an exit that claims success", Crash, "", with(importWASI(exitName), nil, I32Const(0), Call(0)))
	out("a trap below a long name", Crash, "", attackWith(nil, func(g *Guest) {
		unit := g.Type(nil, nil)
		f := g.Func(unit, nil, Op(Unreachable))
		names := []FuncName{{Index: f, Name: strings.Repeat("x", 1<<20)}}
		for range 20 {
			f = g.Func(unit, nil, Call(f))
			names = append(names, FuncName{Index: f, Name: strings.Repeat("y\n", 1<<19)})
		}
		g.Exchange("attack", nil, Call(f))
		g.FuncNames(names...)
	}))
	return list
}
