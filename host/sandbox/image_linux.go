//go:build linux

package sandbox

import (
	"bytes"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// image is a copy of an instance's memory in a file without a name. Clones map
// it privately, so that each pays only for the pages that it writes.
type image struct {
	fd   int
	size uint64
}

// pageBytes is what is looked at together: a piece of zeros takes no room.
const pageBytes = 4096

// newImage copies memory. It gives nil where the system has no such files or
// no room for one: the caller copies then.
func newImage(memory []byte) *image {
	fd, err := unix.MemfdCreate("ox-image", unix.MFD_CLOEXEC)
	if err != nil {
		return nil
	}
	im := &image{fd: fd, size: uint64(len(memory))}
	if unix.Ftruncate(fd, int64(len(memory))) != nil || !im.fill(memory) {
		im.close()
		return nil
	}
	return im
}

// fill writes the stretches of memory that are not zero.
func (im *image) fill(memory []byte) bool {
	var zero [pageBytes]byte
	isZero := func(at int) bool { return bytes.Equal(memory[at:at+pageBytes], zero[:]) }
	for at := 0; at < len(memory); {
		if isZero(at) {
			at += pageBytes
			continue
		}
		end := at + pageBytes
		for end < len(memory) && !isZero(end) {
			end += pageBytes
		}
		for at < end {
			n, err := unix.Pwrite(im.fd, memory[at:end], int64(at))
			if err != nil || n == 0 {
				return false
			}
			at += n
		}
	}
	return true
}

// mapOver puts the image in place of memory, which must have its size; the
// address stays. After an error memory must not be touched any more.
func (im *image) mapOver(memory []byte) error {
	if uint64(len(memory)) != im.size {
		return fmt.Errorf("%d bytes of memory for an image of %d", len(memory), im.size)
	}
	at := unsafe.Pointer(unsafe.SliceData(memory))
	_, err := unix.MmapPtr(im.fd, 0, at, uintptr(im.size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_FIXED|unix.MAP_NORESERVE)
	return err
}

// close gives the file back. Mappings of it live on.
func (im *image) close() {
	// Closing a file that was never shared cannot lose anything.
	_ = unix.Close(im.fd)
}
