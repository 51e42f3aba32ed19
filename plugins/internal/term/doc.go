// Package term interns values as 32-bit terms inside a guest and computes with
// them: two terms of one Table are equal iff their values are. Small integers,
// days and the fixed terms carry their value themselves and never enter the
// table; everything else is hash-consed, so that a composite value is its name
// and the terms of its items, and equality never looks deeper than the id.
package term

import "github.com/ox-mcp/ox-mcp/abi"

// Unbound marks a slot without a value. No value has this term.
const Unbound abi.Term = abi.TagFixed | abi.PayloadMask
