package runtime

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/fxamacker/cbor/v2"
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/coherence"
)

// Recording is one call of a build of the reasoner with all that its answer and
// its cost depend on. It names no file, folder, user or setting of the machine
// that it was made on; it holds the program, its declared facts and the log, as
// far as the call could see them.
type Recording struct {
	Plugin  Build          `cbor:"plugin"`
	Metered string         `cbor:"metered"` // BLAKE3 of the metered module
	Grants  []string       `cbor:"grants"`
	Start   abi.Limits     `cbor:"start"`   // of the instance's start-up
	History []RecordedCall `cbor:"history"` // the calls that made the state, in order; without their answers
	Call    RecordedCall   `cbor:"call"`
}

// RecordedCall is a call of an export. A call ended with exactly one of Answer,
// Failure and Trap.
type RecordedCall struct {
	Export      string        `cbor:"export"`
	Request     []byte        `cbor:"request"`
	Limits      abi.Limits    `cbor:"limits"`
	Answer      []byte        `cbor:"answer,omitempty"`
	Failure     []byte        `cbor:"failure,omitempty"` // an abi.Failure
	Trap        *RecordedTrap `cbor:"trap,omitempty"`
	Fuel        uint64        `cbor:"fuel"`
	MemoryBytes uint64        `cbor:"memory"`
}

// RecordedTrap is what stopped a call.
type RecordedTrap struct {
	Kind  string     `cbor:"kind"`
	Limit abi.Breach `cbor:"limit"` // zero where none did
}

// recordingMagic begins a file that holds a Recording: gzip of CBOR follows.
const recordingMagic = "ox-mcp recording 1\n"

const (
	maxRecordingFile = 64 << 20  // bytes of the file
	maxRecording     = 512 << 20 // bytes without the compression
	maxHistory       = 1_000     // calls
)

// Encode returns the file: equal recordings give equal bytes.
func (r *Recording) Encode() ([]byte, error) {
	enc, err := cbor.CoreDetEncOptions().EncMode()
	if err != nil {
		return nil, err
	}
	plain, err := enc.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encode the recording: %w", err)
	}
	buf := bytes.NewBufferString(recordingMagic)
	z, err := gzip.NewWriterLevel(buf, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(plain); err != nil {
		return nil, fmt.Errorf("encode the recording: %w", err)
	}
	if err := z.Close(); err != nil {
		return nil, fmt.Errorf("encode the recording: %w", err)
	}
	return buf.Bytes(), nil
}

// DecodeRecording reads what Encode wrote. The file may come from anybody.
func DecodeRecording(file []byte) (*Recording, error) { return decodeRecording(file, maxRecording) }

// decodeRecording unpacks at most most bytes.
func decodeRecording(file []byte, most int64) (*Recording, error) {
	packed, ok := bytes.CutPrefix(file, []byte(recordingMagic))
	if !ok {
		return nil, errors.New("it does not begin as a recording does")
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("it does not unpack: %w", err)
	}
	plain, err := io.ReadAll(io.LimitReader(z, most+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("it does not unpack: %w", err)
	case int64(len(plain)) > most:
		return nil, fmt.Errorf("it unpacks to more than %d bytes", most)
	}
	dec, err := cbor.DecOptions{
		DupMapKey: cbor.DupMapKeyEnforcedAPF, IndefLength: cbor.IndefLengthForbidden, ExtraReturnErrors: cbor.ExtraDecErrorUnknownField,
	}.DecMode()
	if err != nil {
		return nil, err
	}
	r := new(Recording)
	if err := dec.Unmarshal(plain, r); err != nil {
		return nil, fmt.Errorf("it does not parse: %w", err)
	}
	return r, r.validate()
}

func (r *Recording) validate() error {
	if len(r.History) > maxHistory {
		return fmt.Errorf("its history has %d calls, more than %d", len(r.History), maxHistory)
	}
	for i, c := range r.History {
		if c.Export != abi.ExportLoad && c.Export != abi.ExportAssert {
			return fmt.Errorf("call %d of its history is of %q, which makes no state", i+1, abridge(c.Export))
		}
	}
	if !recordable(r.Call.Export) {
		return fmt.Errorf("its call is of %q, which answers no operation", abridge(r.Call.Export))
	}
	return nil
}

// WriteRecording puts a recording into a file in one step.
func WriteRecording(path string, r *Recording) error {
	file, err := r.Encode()
	if err == nil {
		err = coherence.Write(path, file)
	}
	if err != nil {
		return &Error{Status: 500, Code: "RECORDING_UNWRITABLE", Message: err.Error()}
	}
	return nil
}

// ReadRecording reads a file that holds a recording.
func ReadRecording(path string) (*Recording, error) {
	bad := func(err error) error {
		return &Error{Status: 400, Code: "RECORDING_UNREADABLE", Message: fmt.Sprintf("the recording %s cannot be read: %v", path, err)}
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, bad(err)
	case !info.Mode().IsRegular():
		return nil, bad(errors.New("it is no file"))
	case info.Size() > maxRecordingFile:
		return nil, bad(fmt.Errorf("it has %d bytes, more than %d", info.Size(), maxRecordingFile))
	}
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, bad(err)
	}
	r, err := DecodeRecording(file)
	if err != nil {
		return nil, bad(err)
	}
	return r, nil
}
