package runtime

import (
	"bytes"
	"encoding/json"
)

// EncodeJSON returns the JSON of a result, on one line and without the
// escaping of <, > and & that is meant for web pages. Every frontend writes
// results through it, so that they are equal byte for byte.
func EncodeJSON(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(buf.Bytes(), "\n"), nil
}
