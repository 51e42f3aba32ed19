package sandbox

import (
	"encoding/binary"
	"strings"
	"testing"

	. "github.com/ox-mcp/ox-mcp/host/sandbox/wasmtest"
)

// wasiGuest exports every WASI stub under its own name, with a page of memory.
func wasiGuest() []byte {
	var m Builder
	stubs := append(wasiStubs(), stub{name: exitName, typ: exitType})
	for _, s := range stubs {
		params, results := valueTypes(s.typ)
		f := m.Import(wasiModule, s.name, m.Type(params, results))
		m.Export(s.name, KindFunc, f)
	}
	m.Memory(1)
	m.Export("memory", KindMemory, 0)
	return m.Bytes()
}

func TestWASIReachesNothing(t *testing.T) {
	in := instantiate(t, admit(t, newHost(t, nil), wasiGuest(), ""))
	memory := in.wasm.Memory()
	call := func(name string, args ...uint64) uint64 {
		t.Helper()
		results, _, err := in.raw(t.Context(), roomy(), name, args...)
		must(t, err)
		return results[0]
	}
	word := func(at uint32) uint32 { v, _ := memory.ReadUint32Le(at); return v }
	long := func(at uint32) uint64 { v, _ := memory.ReadUint64Le(at); return v }
	const beyond = 65536

	t.Run("no arguments and no environment", func(t *testing.T) {
		for _, name := range []string{"args_sizes_get", "environ_sizes_get"} {
			memory.Write(0, []byte{9, 9, 9, 9, 9, 9, 9, 9})
			if e := call(name, 0, 4); e != errnoSuccess || word(0) != 0 || word(4) != 0 {
				t.Errorf("%s gives %d: %d, %d", name, e, word(0), word(4))
			}
			if e := call(name, 0, beyond); e != errnoFault {
				t.Errorf("%s beyond the memory gives %d", name, e)
			}
		}
	})
	t.Run("no files", func(t *testing.T) {
		if e := call("fd_prestat_get", 3, 0); e != errnoBadFile {
			t.Errorf("fd_prestat_get gives %d: Go's start-up would look on", e)
		}
		if e := call("path_open", 3, 0, 0, 0, 0, 0, 0, 0, 0); e != errnoNoSys {
			t.Errorf("path_open gives %d", e)
		}
	})
	t.Run("the clock counts its readers", func(t *testing.T) {
		call("clock_time_get", 0, 0, 0)
		first := long(0)
		call("clock_time_get", 1, 0, 0)
		if long(0) != first+clockStep || first <= clockStart {
			t.Errorf("%d, then %d", first, long(0))
		}
		if e := call("clock_time_get", 0, 0, beyond-7); e != errnoFault {
			t.Errorf("beyond the memory gives %d", e)
		}
	})
	t.Run("random is a sequence", func(t *testing.T) {
		other := instantiate(t, in.module)
		call("random_get", 0, 11)
		_, _, err := other.raw(t.Context(), roomy(), "random_get", 0, 11)
		must(t, err)
		a, _ := memory.Read(0, 12)
		b, _ := other.wasm.Memory().Read(0, 12)
		if string(a) != string(b) || string(a[:4]) == "\x00\x00\x00\x00" || a[11] != 0 {
			t.Errorf("%x and %x", a, b)
		}
		if e := call("random_get", 1, beyond); e != errnoFault {
			t.Errorf("beyond the memory gives %d", e)
		}
	})
	t.Run("output is captured up to a cap", func(t *testing.T) {
		memory.Write(200, []byte("hello "))
		vector := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, 200), 6)
		memory.Write(100, append(vector, vector...))
		if e := call("fd_write", 2, 100, 2, 300); e != errnoSuccess || word(300) != 12 {
			t.Errorf("%d, %d bytes", e, word(300))
		}
		if got := in.output.String(); got != "hello hello " {
			t.Errorf("captured %q", got)
		}
		for _, c := range []struct{ fd, list, n, want uint64 }{
			{0, 100, 1, errnoBadFile}, {3, 100, 1, errnoBadFile}, {1, 65530, 1, errnoFault},
			{1, 100, vectorsMost + 1, errnoInvalid}, {1, 100, 0, errnoSuccess},
		} {
			if e := call("fd_write", c.fd, c.list, c.n, 300); e != c.want {
				t.Errorf("fd %d, %d pieces at %d: %d, want %d", c.fd, c.n, c.list, e, c.want)
			}
		}
		large := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, 0), captureBytes+1)
		memory.Write(100, large)
		call("fd_write", 1, 100, 1, 300)
		if got := in.output.String(); len(got) != captureBytes+len("…") || !strings.HasSuffix(got, "…") {
			t.Errorf("%d bytes captured", len(got))
		}
	})
	t.Run("nobody sleeps", func(t *testing.T) {
		subscription := func(user uint64, tag byte, timeout uint64, flags uint16) []byte {
			s := make([]byte, subscriptionBytes)
			binary.LittleEndian.PutUint64(s, user)
			s[8] = tag
			binary.LittleEndian.PutUint64(s[24:], timeout)
			binary.LittleEndian.PutUint16(s[40:], flags)
			return s
		}
		const hour = 3600 * 1_000_000_000
		memory.Write(1000, concat(subscription(1, subscriptionClock, 2*hour, 0), subscription(2, subscriptionClock, hour, 0), subscription(3, 1, 0, 0)))
		before := in.stubs.clock
		if e := call("poll_oneoff", 1000, 2000, 3, 3000); e != errnoSuccess || word(3000) != 1 || long(2000) != 2 {
			t.Errorf("%d: %d events, the first for %d", e, word(3000), long(2000))
		}
		if in.stubs.clock != before+hour {
			t.Errorf("the clock went on by %d", in.stubs.clock-before)
		}
		memory.Write(1000, subscription(9, 1, 0, 0))
		if e := call("poll_oneoff", 1000, 2000, 1, 3000); e != errnoSuccess || word(3000) != 1 || word(2008)&0xffff != errnoBadFile {
			t.Errorf("a file: %d, %d events, errno %d", e, word(3000), word(2008)&0xffff)
		}
		for _, n := range []uint64{0, vectorsMost + 1} {
			if e := call("poll_oneoff", 1000, 2000, n, 3000); e != errnoInvalid {
				t.Errorf("%d subscriptions: %d", n, e)
			}
		}
	})
	t.Run("stubs cost fuel", func(t *testing.T) {
		limits := roomy()
		limits.Fuel = stubCost - 1
		fresh := instantiate(t, in.module)
		_, _, err := fresh.raw(t.Context(), limits, "sched_yield")
		trapped(t, err, OutOfFuel)
	})
}

// TestStubsGoWithAClone checks that a clone sees the clock and the random
// sequence go on where the original's were.
func TestStubsGoWithAClone(t *testing.T) {
	in := instantiate(t, admit(t, newHost(t, nil), wasiGuest(), ""))
	for _, name := range []string{"random_get", "clock_res_get"} {
		_, _, err := in.raw(t.Context(), roomy(), name, 0, 8)
		must(t, err)
	}
	clone, err := in.Clone(t.Context())
	must(t, err)
	closeLater(t, clone)
	for _, one := range []*Instance{in, clone} {
		_, _, err := one.raw(t.Context(), roomy(), "random_get", 16, 8)
		must(t, err)
		_, _, err = one.raw(t.Context(), roomy(), "clock_time_get", 0, 0, 24)
		must(t, err)
	}
	a, b := in.memory.bytes(), clone.memory.bytes()
	if string(a[:64]) != string(b[:64]) || string(a[16:24]) == string(a[:8]) {
		t.Errorf("%x\n%x", a[:32], b[:32])
	}
}

func TestGuestWithoutMemoryMayCallStubs(t *testing.T) {
	var m Builder
	m.Export("f", KindFunc, m.Import(wasiModule, "random_get", m.Type([]byte{I32, I32}, []byte{I32})))
	in := instantiate(t, admit(t, newHost(t, nil), m.Bytes(), ""))
	results, _, err := in.raw(t.Context(), roomy(), "f", 0, 1)
	must(t, err)
	if results[0] != errnoFault {
		t.Errorf("errno %d", results[0])
	}
}

// TestOutOfMemoryOfAGoGuest: Go's runtime exits or traps when a growth is
// refused, and the trap says why.
func TestOutOfMemoryOfAGoGuest(t *testing.T) {
	m := admit(t, newHost(t, kept), goGuest(t, joinLoop), "")
	in := instantiate(t, m)
	limits := roomy()
	limits.Memory = 8 * mib
	_, _, err := in.raw(t.Context(), limits, "closure", 1000, 2000)
	trap := trapped(t, err, OutOfMemory)
	if trap.Limit.Allowed != 8*mib || trap.Limit.Used <= 8*mib || !strings.Contains(trap.Output, "out of memory") {
		t.Errorf("%s", explain(err))
	}
}
