package argon

// Parted reports whether the edit was seen by way of a part of the package.
func (e *Edit) Parted() bool { return e != nil && e.part != nil }
