package overtime

import (
	"fmt"

	"github.com/ox-mcp/ox-mcp/abi"
)

// Key tells patterns of relations from each other.
func Key(rel int, tuple []*abi.Value) string {
	key := fmt.Appendf(nil, "%d ", rel)
	for _, v := range tuple {
		if v == nil {
			v = &abi.Value{}
		}
		key = abi.AppendValue(key, *v)
	}
	return string(key)
}

// Scanned is what an atom looks for under bindings; nil is anything.
func Scanned(p *abi.Program, atom *abi.Atom, bindings []*abi.Value) []*abi.Value {
	tuple := make([]*abi.Value, len(atom.Args))
	for i, x := range atom.Args {
		switch {
		case x.Op == abi.ArgConst:
			tuple[i] = &p.Constants[x.Index]
		case x.Op == abi.ArgSlot && x.Index < len(bindings):
			tuple[i] = bindings[x.Index]
		}
	}
	return tuple
}

// argsOf are the values of arguments; nil where there is none.
func argsOf(p *abi.Program, args []abi.Arg, slots []*abi.Value) []*abi.Value {
	return Scanned(p, &abi.Atom{Args: args}, slots)
}

// known is the pattern that names all values.
func known(row []abi.Value) []*abi.Value {
	out := make([]*abi.Value, len(row))
	for i := range row {
		out[i] = &row[i]
	}
	return out
}

// valuesOf is what a pattern that names all values says.
func valuesOf(pattern []*abi.Value) []abi.Value {
	out := make([]abi.Value, len(pattern))
	for i, v := range pattern {
		out[i] = *v
	}
	return out
}

// tuplesOf returns what rows of days are about, each once.
func tuplesOf(rows [][]abi.Value) (out [][]*abi.Value) {
	seen := map[string]bool{}
	for _, row := range rows {
		tuple := known(row[:len(row)-2])
		if key := Key(0, tuple); !seen[key] {
			seen[key] = true
			out = append(out, tuple)
		}
	}
	return out
}
