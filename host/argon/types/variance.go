package types

import (
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
)

// Map returns Map<key, value>.
func Map(key, value abi.Type) abi.Type {
	return abi.Type{Op: abi.TypeMap, Args: []abi.Type{key, value}}
}

// Range returns Range<elem>.
func Range(elem abi.Type) abi.Type { return abi.Type{Op: abi.TypeRange, Args: []abi.Type{elem}} }

// FnOf returns fn(params) -> result.
func FnOf(params []abi.Type, result abi.Type) abi.Type {
	return abi.Type{Op: abi.TypeFn, Args: append(append([]abi.Type(nil), params...), result)}
}

// result is what a function of type t gives.
func result(t abi.Type) abi.Type { return t.Args[len(t.Args)-1] }

func printArgs(list []abi.Type) string {
	if len(list) == 0 {
		return ""
	}
	var args []string
	for _, a := range list {
		args = append(args, Print(a))
	}
	return "<" + strings.Join(args, ", ") + ">"
}

func printFn(t abi.Type) string {
	var args []string
	for _, a := range t.Args {
		args = append(args, Print(a))
	}
	n := len(args) - 1
	return "fn(" + strings.Join(args[:n], ", ") + ") -> " + args[n]
}

// fitAll: values never change, so that a type may vary with its arguments.
func (e *Env) fitAll(from, to []abi.Type) bool {
	for i := range to {
		if i < len(from) && !e.Fits(from[i], to[i]) {
			return false
		}
	}
	return true
}

// fitsFn: a function that takes more and gives less stands for one that takes
// less and gives more.
func (e *Env) fitsFn(from, to []abi.Type) bool {
	n := len(to) - 1
	if len(from) != len(to) || !e.Fits(from[n], to[n]) {
		return false
	}
	return e.fitAll(to[:n], from[:n])
}

func (e *Env) joinArgs(a, b abi.Type) (abi.Type, bool) {
	out := abi.Type{Op: a.Op, Name: a.Name}
	for i := range a.Args {
		t, ok := e.Join(a.Args[i], b.Args[i])
		if !ok {
			return Top, false
		}
		out.Args = append(out.Args, t)
	}
	return out, true
}

// unbounded is an integer type without bounds, or t.
func unbounded(t abi.Type) abi.Type {
	if integral(t) {
		t.Name = ""
	}
	return t
}
