package runtime

import (
	"bytes"
	"compress/gzip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ox-mcp/ox-mcp/abi"
)

func sampleRecording() *Recording {
	return &Recording{
		Plugin: Build{Name: "r", Version: "1", Blake3: "ab"}, Metered: "cd", Grants: []string{"log"}, Start: abi.Limits{Fuel: 7},
		History: []RecordedCall{{Export: abi.ExportLoad, Request: []byte{1}}, {Export: abi.ExportAssert, Request: []byte{2}}},
		Call: RecordedCall{Export: abi.ExportQuery, Request: []byte{3}, Limits: abi.Limits{Fuel: 9}, Fuel: 5, MemoryBytes: 6,
			Trap: &RecordedTrap{Kind: "out_of_fuel", Limit: abi.Breach{Limit: "fuel", Allowed: 9, Used: 10}}},
	}
}

func encoded(t testing.TB, r *Recording) []byte {
	t.Helper()
	b, err := r.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestRecordingIsReadAsItWasWritten(t *testing.T) {
	r := sampleRecording()
	b := encoded(t, r)
	if !bytes.Equal(b, encoded(t, sampleRecording())) {
		t.Error("equal recordings give different bytes")
	}
	got, err := DecodeRecording(b)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, r) {
		t.Errorf("got %+v, want %+v", got, r)
	}
}

func TestHostileRecordingsAreRefused(t *testing.T) {
	pack := func(plain []byte) []byte {
		buf := bytes.NewBufferString(recordingMagic)
		z := gzip.NewWriter(buf)
		z.Write(plain)
		z.Close()
		return buf.Bytes()
	}
	change := func(f func(r *Recording)) []byte {
		r := sampleRecording()
		f(r)
		return encoded(t, r)
	}
	whole := encoded(t, sampleRecording())
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"nothing":           {nil, "does not begin"},
		"another file":      {[]byte("PK\x03\x04 and more of it"), "does not begin"},
		"cut short":         {whole[:len(whole)-9], "does not unpack"},
		"no gzip":           {[]byte(recordingMagic + "plain text"), "does not unpack"},
		"no CBOR":           {pack([]byte("plain text")), "does not parse"},
		"nothing packed":    {pack(nil), "does not parse"},
		"an unknown key":    {pack([]byte("\xa1\x65other\x01")), "does not parse"},
		"a key twice":       {pack([]byte("\xa2\x67metered\x60\x67metered\x60")), "does not parse"},
		"a bomb":            {pack(make([]byte, 1<<20)), "unpacks to more than"},
		"a call of load":    {change(func(r *Recording) { r.Call.Export = abi.ExportLoad }), "answers no operation"},
		"a call of memory":  {change(func(r *Recording) { r.Call.Export = "cabi_realloc" }), "answers no operation"},
		"a made-up history": {change(func(r *Recording) { r.History[1].Export = abi.ExportMutate }), "makes no state"},
		"a long history": {change(func(r *Recording) {
			for range maxHistory {
				r.History = append(r.History, RecordedCall{Export: abi.ExportAssert})
			}
		}), "more than 1000"},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := decodeRecording(c.file, 1<<19)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("%+v, %v; want an error with %q", r, err, c.want)
			}
		})
	}
}

func FuzzDecodeRecording(f *testing.F) {
	f.Add(encoded(f, sampleRecording()))
	f.Add([]byte(recordingMagic))
	f.Fuzz(func(t *testing.T, file []byte) {
		r, err := decodeRecording(file, 1<<16)
		if err != nil {
			return
		}
		// What is taken can be written and shown again.
		again, err := DecodeRecording(encoded(t, r))
		if err != nil {
			t.Fatalf("what was taken is refused when it is written again: %v", err)
		}
		if again.Call.text() != r.Call.text() {
			t.Fatalf("%q became %q", r.Call.text(), again.Call.text())
		}
	})
}

func TestLatencyIsCountedInBuckets(t *testing.T) {
	var l latency
	if l.shown() != nil {
		t.Error("nothing was counted, and something is shown")
	}
	for _, took := range []int64{0, 100, 101, 400, 1_000_000_000} {
		l.add(time.Duration(took) * time.Microsecond)
	}
	got := l.shown()
	want := []Bucket{{UpTo: 100, Calls: 2}, {UpTo: 400, Calls: 2}, {Calls: 1}}
	if !reflect.DeepEqual(got.Histogram, want) || got.Max != 1_000_000_000 || got.Mean != 200_000_120 {
		t.Errorf("got %+v, want the buckets %+v", got, want)
	}
}
