package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// member is one member of a JSON object, in the order of the text.
type member struct {
	name  string
	value json.RawMessage
}

// members returns the members of the JSON object data, also where names
// repeat. It returns an error where data is no JSON object.
func members(data []byte) ([]member, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	t, err := dec.Token()
	if err != nil {
		return nil, err
	}
	if t != json.Delim('{') {
		return nil, errors.New("not an object")
	}
	var out []member
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return nil, err
		}
		m := member{name: t.(string)}
		if err := dec.Decode(&m.value); err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	_, err = dec.Token()
	return out, err
}

// checkText returns a description of what keeps text from being JSON in UTF-8,
// or "".
func checkText(text []byte) string {
	if !utf8.Valid(text) {
		return "the line is not valid UTF-8"
	}
	var raw json.RawMessage
	err := json.Unmarshal(text, &raw)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return fmt.Sprintf("the line is not valid JSON: %v at byte %d", syntax, syntax.Offset)
	case err != nil:
		return "the line is not valid JSON: " + err.Error()
	}
	return ""
}

// maxSafeInteger bounds the numbers that a request id may be: beyond it a
// float64, which the protocol library holds ids in, would round them.
const maxSafeInteger = 1 << 53

// parseID reads a request id: a string, or a whole number of at most 2^53.
func parseID(raw []byte) (jsonrpc.ID, bool) {
	if len(raw) == 0 || len(raw) > maxIDLength {
		return jsonrpc.ID{}, false
	}
	if raw[0] == '"' {
		var s string
		if json.Unmarshal(raw, &s) != nil {
			return jsonrpc.ID{}, false
		}
		id, err := jsonrpc.MakeID(s)
		return id, err == nil
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil || n > maxSafeInteger || n < -maxSafeInteger {
		return jsonrpc.ID{}, false
	}
	id, err := jsonrpc.MakeID(float64(n))
	return id, err == nil
}

// parseMessage reads one JSON-RPC message. Where it is none, it returns why,
// and the id that an answer can be sent to, if any.
func parseMessage(text []byte) (msg jsonrpc.Message, id jsonrpc.ID, wrong string) {
	list, err := members(text)
	if err != nil {
		return nil, id, "a message is a JSON object"
	}
	fields := make(map[string]json.RawMessage, len(list))
	repeated := ""
	for _, m := range list {
		if _, ok := fields[m.name]; ok {
			repeated = m.name
		}
		fields[m.name] = m.value
	}
	rawID, hasID := fields["id"]
	if hasID {
		var ok bool
		if id, ok = parseID(rawID); !ok {
			return nil, jsonrpc.ID{}, fmt.Sprintf("an id is a string, or a whole number of at most 2^53, of at most %d bytes", maxIDLength)
		}
	}
	if repeated != "" {
		if repeated == "id" {
			id = jsonrpc.ID{}
		}
		return nil, id, fmt.Sprintf("the member %q is there twice", repeated)
	}
	if string(fields["jsonrpc"]) != `"2.0"` {
		return nil, id, `the member "jsonrpc" must be "2.0"`
	}
	rawMethod, ok := fields["method"]
	if !ok {
		_, hasResult := fields["result"]
		_, hasError := fields["error"]
		if !hasID || !hasResult && !hasError {
			return nil, id, `a request has the member "method"`
		}
		msg, err := jsonrpc.DecodeMessage(text)
		if err != nil {
			return nil, jsonrpc.ID{}, err.Error()
		}
		return msg, id, ""
	}
	var method string
	if err := json.Unmarshal(rawMethod, &method); err != nil || string(rawMethod) == "null" {
		return nil, id, `the member "method" is a string`
	}
	params := fields["params"]
	if len(params) > 0 && params[0] != '{' && params[0] != '[' {
		return nil, id, `the member "params" is an object`
	}
	return &jsonrpc.Request{ID: id, Method: method, Params: params}, id, ""
}

// encodeRefusal returns the line of an error answer. Without a valid id the
// answer's id is null, as JSON-RPC 2.0 wants it.
func encodeRefusal(id jsonrpc.ID, code int64, message string, data map[string]any) ([]byte, error) {
	e := map[string]any{"code": code, "message": message}
	if data != nil {
		e["data"] = data
	}
	return json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id.Raw(), "error": e})
}
