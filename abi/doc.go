// Package abi holds the types that cross the sandbox wall: terms, values,
// frames, the typed rule program and the messages of the two plugin worlds.
// The host and the guests both import it, so it knows the standard library and
// nothing else. One codec without reflection (codec*.go) writes and reads
// everything here as deterministic CBOR (RFC 8949 section 4.2).
package abi

// Version is the version of the plugin contract. A guest reports it from
// describe, and the host refuses any other.
const Version = "0.1.0"
