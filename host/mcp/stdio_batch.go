package mcp

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// batch is an array of messages that came on one line. Its answers go out
// together, when the last call of it is done.
type batch struct {
	open    int               // calls without an answer; guarded by the connection's mu
	answers []json.RawMessage // guarded by the connection's mu
}

// lastBatchVersion is the newest protocol version of the handshake era that
// has batches. Versions compare as text.
const lastBatchVersion = "2025-03-26"

func (c *stdioConn) acceptBatch(text []byte) error {
	c.mu.Lock()
	version := c.version
	c.mu.Unlock()
	if version > lastBatchVersion {
		return c.refuse(jsonrpc.ID{}, jsonrpc.CodeInvalidRequest,
			"protocol version "+version+" has no batches; send one message a line", nil)
	}
	var items []json.RawMessage
	if err := json.Unmarshal(text, &items); err != nil {
		return c.refuse(jsonrpc.ID{}, jsonrpc.CodeParseError, err.Error(), nil)
	}
	if len(items) == 0 {
		return c.refuse(jsonrpc.ID{}, jsonrpc.CodeInvalidRequest, "the batch is empty", nil)
	}
	b := &batch{}
	var msgs []jsonrpc.Message
	for _, item := range items {
		msg, id, wrong := parseMessage(item)
		if wrong == "" {
			if wrong = c.register(msg, b); wrong != "" {
				id = jsonrpc.ID{}
			}
		}
		if wrong != "" {
			answer, err := encodeRefusal(id, jsonrpc.CodeInvalidRequest, wrong, nil)
			if err != nil {
				return err
			}
			b.answers = append(b.answers, answer)
			continue
		}
		if req, ok := msg.(*jsonrpc.Request); ok && req.IsCall() {
			b.open++
		}
		msgs = append(msgs, msg)
	}
	c.queue = append(c.queue, msgs...)
	if b.open == 0 && len(b.answers) > 0 {
		return c.sendBatch(b)
	}
	return nil
}

// answerInBatch keeps the answer of a batch's call, and sends the batch's
// answers where it was the last.
func (c *stdioConn) answerInBatch(call *inFlight, resp *jsonrpc.Response) error {
	answer, err := jsonrpc.EncodeMessage(resp)
	if err != nil {
		return err
	}
	c.mu.Lock()
	b := call.batch
	if !call.cancelled {
		b.answers = append(b.answers, answer)
	}
	b.open--
	last := b.open == 0 && len(b.answers) > 0
	c.mu.Unlock()
	if !last {
		return nil
	}
	return c.sendBatch(b)
}

func (c *stdioConn) sendBatch(b *batch) error {
	data, err := json.Marshal(b.answers)
	if err != nil {
		return err
	}
	return c.send(data)
}
