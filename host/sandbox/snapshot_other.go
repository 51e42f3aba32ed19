//go:build !linux

package sandbox

// sharing is not there: clones copy.
func sharing(pool *memoryPool, memory []byte, origin snapshot) (snapshot, bool) {
	return noSnapshots(pool, memory, origin)
}
