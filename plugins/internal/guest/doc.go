// Package guest is the part of a Go plugin that faces the sandbox wall: the
// Component Model's canonical ABI for functions from a list<u8> to a
// result<list<u8>, list<u8>>, lowered by hand, since Go's own tools speak only
// core WebAssembly.
//
// A call goes so: the host asks cabi_realloc for room, writes the request
// there and calls the export with pointer and length. The export hands both to
// Handle and returns what Handle gives: the address of a return area. The host
// reads the area and the bytes that it points to, and then calls the export's
// cabi_post_ function, which is Post. Calls may overlap in that order only;
// any number of answers may wait for their Post.
//
// A return area is three little-endian words: 0 and the response, or 1 and a
// Failure, each as address and length. That of a function which gives a plain
// list<u8> has no first word. Go's pointers are 8 bytes in wasm memory, so
// areas are written as words, not as Go structs with pointers.
//
// Names of exports are fixed at compile time, so each plugin writes one short
// function an export. What does not need wasm is tested natively.
package guest
