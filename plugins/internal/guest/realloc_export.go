//go:build wasip1

package guest

//go:wasmexport cabi_realloc
func cabiRealloc(old, oldSize, align, newSize uint32) uint32 {
	return Realloc(old, oldSize, align, newSize)
}
