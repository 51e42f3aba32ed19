// Package wit holds ox-plugin.wit, the contract of plugins, as text.
package wit

import _ "embed"

// Text is the WIT document.
//
//go:embed ox-plugin.wit
var Text string
