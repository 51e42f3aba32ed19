package sandbox

import (
	"encoding/binary"

	"github.com/tetratelabs/wazero/api"

	"github.com/ox-mcp/ox-mcp/host/sandbox/rewrite"
)

// WASI is there because Go's runtime imports it. No stub reaches anything
// outside the instance: the clock is a counter, the random source a fixed
// sequence, there are no files, arguments or environment.

const (
	wasiModule = "wasi_snapshot_preview1"

	errnoSuccess = 0
	errnoBadFile = 8
	errnoFault   = 21
	errnoInvalid = 28
	errnoNoSys   = 52
)

// stubs is the state behind the WASI stubs. It is part of a clone.
type stubs struct {
	clock  uint64 // nanoseconds
	random uint64
}

const (
	clockStart = 1_000_000_000 // a clock at 0 reads as unset in some runtimes
	clockStep  = 1_000         // nanoseconds that pass at each look
	randomSeed = 0x6F78_2D6D_6370_0001
)

func newStubs() stubs { return stubs{clock: clockStart, random: randomSeed} }

func (s *stubs) now() uint64 {
	s.clock += clockStep
	return s.clock
}

// fill writes the next bytes of the sequence (SplitMix64, eight at a time).
func (s *stubs) fill(b []byte) {
	for len(b) > 0 {
		s.random += 0x9E3779B97F4A7C15
		z := s.random
		z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
		z = (z ^ z>>27) * 0x94D049BB133111EB
		z ^= z >> 31
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], z)
		b = b[copy(b, word[:]):]
	}
}

// capture holds the start of what a guest writes in one call.
type capture struct {
	text    []byte
	dropped int
}

// captureBytes bounds a capture.
const captureBytes = 16 << 10

func (c *capture) reset() { c.text, c.dropped = c.text[:0], 0 }

func (c *capture) write(b []byte) {
	n := min(len(b), captureBytes-len(c.text))
	c.text = append(c.text, b[:n]...)
	c.dropped += len(b) - n
}

func (c *capture) String() string {
	if c.dropped > 0 {
		return string(c.text) + "…"
	}
	return string(c.text)
}

// stub is one WASI function. It returns an errno.
type stub struct {
	name string
	typ  rewrite.Signature
	call func(in *Instance, memory api.Memory, a []uint64) uint32
}

// stubCost is the fuel of a WASI call; bytes are charged as in bulk
// instructions, at 1 for 8.
const stubCost = 64

func byteCost(n uint64) uint64 { return n / 8 }

func wasiStubs() []stub {
	answer := func(errno uint32) func(*Instance, api.Memory, []uint64) uint32 {
		return func(*Instance, api.Memory, []uint64) uint32 { return errno }
	}
	empty := func(_ *Instance, memory api.Memory, a []uint64) uint32 {
		if !memory.WriteUint32Le(uint32(a[0]), 0) || !memory.WriteUint32Le(uint32(a[1]), 0) {
			return errnoFault
		}
		return errnoSuccess
	}
	badFile, noSys := answer(errnoBadFile), answer(errnoNoSys)
	return []stub{
		{"args_get", "ii>i", answer(errnoSuccess)},
		{"args_sizes_get", "ii>i", empty},
		{"environ_get", "ii>i", answer(errnoSuccess)},
		{"environ_sizes_get", "ii>i", empty},
		{"clock_res_get", "ii>i", clockResolution},
		{"clock_time_get", "iIi>i", clockTime},
		{"random_get", "ii>i", randomGet},
		{"sched_yield", ">i", answer(errnoSuccess)},
		{"poll_oneoff", "iiii>i", pollOneoff},
		{"fd_write", "iiii>i", fdWrite},
		// Go's start-up looks for preopened folders until it gets EBADF.
		{"fd_prestat_get", "ii>i", badFile},
		{"fd_prestat_dir_name", "iii>i", badFile},
		{"fd_close", "i>i", badFile},
		{"fd_fdstat_get", "ii>i", badFile},
		{"fd_fdstat_set_flags", "ii>i", badFile},
		{"fd_filestat_get", "ii>i", badFile},
		{"fd_filestat_set_size", "iI>i", badFile},
		{"fd_read", "iiii>i", badFile},
		{"fd_pread", "iiiIi>i", badFile},
		{"fd_pwrite", "iiiIi>i", badFile},
		{"fd_seek", "iIii>i", badFile},
		{"fd_sync", "i>i", badFile},
		{"fd_readdir", "iiiIi>i", badFile},
		{"path_create_directory", "iii>i", noSys},
		{"path_filestat_get", "iiiii>i", noSys},
		{"path_filestat_set_times", "iiiiIIi>i", noSys},
		{"path_link", "iiiiiii>i", noSys},
		{"path_open", "iiiiiIIii>i", noSys},
		{"path_readlink", "iiiiii>i", noSys},
		{"path_remove_directory", "iii>i", noSys},
		{"path_rename", "iiiiii>i", noSys},
		{"path_symlink", "iiiii>i", noSys},
		{"path_unlink_file", "iii>i", noSys},
		{"sock_accept", "iii>i", noSys},
		{"sock_shutdown", "ii>i", noSys},
	}
}

func clockResolution(_ *Instance, memory api.Memory, a []uint64) uint32 {
	if !memory.WriteUint64Le(uint32(a[1]), clockStep) {
		return errnoFault
	}
	return errnoSuccess
}

func clockTime(in *Instance, memory api.Memory, a []uint64) uint32 {
	if !memory.WriteUint64Le(uint32(a[2]), in.stubs.now()) {
		return errnoFault
	}
	return errnoSuccess
}

func randomGet(in *Instance, memory api.Memory, a []uint64) uint32 {
	b, ok := memory.Read(uint32(a[0]), uint32(a[1]))
	if !ok {
		return errnoFault
	}
	in.meter.charge(byteCost(uint64(uint32(a[1]))))
	in.stubs.fill(b)
	return errnoSuccess
}

// vectorsMost bounds the pieces of one write and the subscriptions of a poll.
const vectorsMost = 1024

func fdWrite(in *Instance, memory api.Memory, a []uint64) uint32 {
	fd, list, n, result := uint32(a[0]), uint32(a[1]), uint32(a[2]), uint32(a[3])
	switch {
	case fd != 1 && fd != 2:
		return errnoBadFile
	case n > vectorsMost:
		return errnoInvalid
	}
	vectors, ok := memory.Read(list, n*8)
	if !ok {
		return errnoFault
	}
	written := uint32(0)
	for ; len(vectors) > 0; vectors = vectors[8:] {
		ptr, size := binary.LittleEndian.Uint32(vectors), binary.LittleEndian.Uint32(vectors[4:])
		b, ok := memory.Read(ptr, size)
		if !ok || written+size < written {
			return errnoFault
		}
		in.meter.charge(byteCost(uint64(size)))
		in.output.write(b)
		written += size
	}
	if !memory.WriteUint32Le(result, written) {
		return errnoFault
	}
	return errnoSuccess
}

const (
	subscriptionBytes = 48
	eventBytes        = 32
	subscriptionClock = 0
	absoluteTime      = 1
)

// pollOneoff lets the clock jump to the earliest time that is waited for:
// nobody sleeps. Files are never ready.
func pollOneoff(in *Instance, memory api.Memory, a []uint64) uint32 {
	from, to, n, result := uint32(a[0]), uint32(a[1]), uint32(a[2]), uint32(a[3])
	if n == 0 || n > vectorsMost {
		return errnoInvalid
	}
	subscriptions, ok := memory.Read(from, n*subscriptionBytes)
	if !ok {
		return errnoFault
	}
	in.meter.charge(uint64(n) * stubCost)
	events := make([]byte, 0, n*eventBytes)
	earliest, found := uint64(0), false
	due := func(s []byte) uint64 {
		t := binary.LittleEndian.Uint64(s[24:])
		if binary.LittleEndian.Uint16(s[40:])&absoluteTime == 0 {
			t += in.stubs.clock
		}
		return t
	}
	for s := subscriptions; len(s) > 0; s = s[subscriptionBytes:] {
		if s[8] != subscriptionClock {
			continue
		}
		if t := due(s); !found || t < earliest {
			earliest, found = t, true
		}
	}
	for s := subscriptions; len(s) > 0; s = s[subscriptionBytes:] {
		var event [eventBytes]byte
		copy(event[:8], s[:8])
		event[10] = s[8]
		switch {
		case s[8] == subscriptionClock && due(s) > earliest:
			continue
		case s[8] != subscriptionClock && found:
			continue
		case s[8] != subscriptionClock:
			event[8] = errnoBadFile
		}
		events = append(events, event[:]...)
	}
	in.stubs.clock = max(in.stubs.clock, earliest)
	if !memory.Write(to, events) || !memory.WriteUint32Le(result, uint32(len(events)/eventBytes)) {
		return errnoFault
	}
	return errnoSuccess
}
