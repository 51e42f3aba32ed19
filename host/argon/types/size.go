package types

import "github.com/ox-mcp/ox-mcp/abi"

// maxParts is of how many types one may be made: a pair of two of its like has
// twice as many, and a few lines write a type that takes minutes to compare.
const maxParts = 1 << 12

// parts counts the types that t is made of, itself among them, up to one more
// than most.
func parts(t abi.Type, most int) int {
	n := 1
	for i := range t.Args {
		if n > most {
			break
		}
		n += parts(t.Args[i], most-n)
	}
	return n
}
