package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Stdio is a transport of one JSON-RPC message a line. Unlike the protocol
// library's it outlives what a client does wrong: a line that is no message,
// or is too long, is answered and skipped. At the end of the input the calls
// in flight are still answered, and a call that the client has cancelled is
// not answered at all.
type Stdio struct {
	In  io.Reader
	Out io.Writer
	// MaxLine is the longest line that is taken, in bytes without its end.
	MaxLine int
	// Drain bounds how long the answers of calls in flight are waited for
	// after the input has ended. With 0 they are not waited for.
	Drain time.Duration

	conn *stdioConn
}

// Connect starts reading. It may be called once.
func (t *Stdio) Connect(context.Context) (sdk.Connection, error) {
	if t.conn != nil {
		return nil, errors.New("the transport is already connected")
	}
	lines := make(chan line)
	c := &stdioConn{
		lines:    lines,
		closed:   make(chan struct{}),
		ended:    make(chan struct{}),
		answered: make(chan struct{}, 1),
		maxLine:  t.MaxLine,
		drain:    t.Drain,
		out:      t.Out,
		calls:    map[jsonrpc.ID]*inFlight{},
	}
	t.conn = c
	// A read of the input cannot be interrupted: after Close this goroutine
	// lives until the read returns.
	go readLines(t.In, t.MaxLine, func(l line) bool {
		select {
		case lines <- l:
			return true
		case <-c.closed:
			return false
		}
	})
	return c, nil
}

// inFlight is a call that was read and not answered yet.
type inFlight struct {
	method    string
	progress  string // JSON of its progress token, or ""
	cancelled bool
	batch     *batch // that it came in, or nil
}

type stdioConn struct {
	lines    <-chan line
	closed   chan struct{}
	ended    chan struct{} // closed when Read has reported the end
	answered chan struct{} // holds a value after an answer went out
	maxLine  int
	drain    time.Duration

	queue []jsonrpc.Message // rest of a batch; only Read uses it

	closeOnce, endOnce sync.Once

	writeMu sync.Mutex
	out     io.Writer

	mu      sync.Mutex
	calls   map[jsonrpc.ID]*inFlight
	version string // protocol version that initialize agreed on, or ""
}

// SessionID is "": there is one session, the connection itself.
func (c *stdioConn) SessionID() string { return "" }

// Close ends reading; the input and the output stay open.
func (c *stdioConn) Close() error {
	c.closeOnce.Do(func() { close(c.closed) })
	return nil
}

// Read returns the next message. What is no message is answered here.
func (c *stdioConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		if len(c.queue) > 0 {
			msg := c.queue[0]
			c.queue = c.queue[1:]
			return msg, nil
		}
		select {
		case <-ctx.Done():
			return nil, c.end(ctx.Err())
		case <-c.closed:
			return nil, c.end(io.EOF)
		case l := <-c.lines:
			if l.err != nil {
				c.awaitAnswers()
				return nil, c.end(l.err)
			}
			if err := c.accept(l); err != nil {
				return nil, c.end(err)
			}
		}
	}
}

func (c *stdioConn) end(err error) error {
	c.endOnce.Do(func() { close(c.ended) })
	return err
}

// awaitAnswers returns when every call in flight is answered, the drain time
// is over, or the connection is closed.
func (c *stdioConn) awaitAnswers() {
	timer := time.NewTimer(c.drain)
	defer timer.Stop()
	for c.awaited() > 0 {
		select {
		case <-c.answered:
		case <-timer.C:
			return
		case <-c.closed:
			return
		}
	}
}

// awaited counts the calls whose answer somebody waits for. A subscription is
// answered only by its end; a cancelled call holds back its batch.
func (c *stdioConn) awaited() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for _, call := range c.calls {
		if (!call.cancelled || call.batch != nil) && call.method != "subscriptions/listen" {
			n++
		}
	}
	return n
}

// accept queues the messages of a line, or answers what is wrong with it. Its
// error is that of writing.
func (c *stdioConn) accept(l line) error {
	if l.tooLong {
		id, _ := parseID(l.id)
		return c.refuse(id, jsonrpc.CodeInvalidRequest,
			fmt.Sprintf("a line of more than %d bytes is not read; send less at once, or raise the limit", c.maxLine),
			map[string]any{"limit": "lineBytes", "allowed": c.maxLine})
	}
	if wrong := checkText(l.text); wrong != "" {
		return c.refuse(jsonrpc.ID{}, jsonrpc.CodeParseError, wrong, nil)
	}
	if l.text[0] == '[' {
		return c.acceptBatch(l.text)
	}
	msg, id, wrong := parseMessage(l.text)
	if wrong != "" {
		return c.refuse(id, jsonrpc.CodeInvalidRequest, wrong, nil)
	}
	if wrong := c.register(msg, nil); wrong != "" {
		// The id belongs to the call in flight, so it cannot address this answer.
		return c.refuse(jsonrpc.ID{}, jsonrpc.CodeInvalidRequest, wrong, nil)
	}
	c.queue = append(c.queue, msg)
	return nil
}

// register notes a call, or that one is cancelled. It returns what is wrong
// with the message, or "".
func (c *stdioConn) register(msg jsonrpc.Message, b *batch) string {
	req, ok := msg.(*jsonrpc.Request)
	if !ok {
		return ""
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !req.IsCall() {
		if req.Method == "notifications/cancelled" {
			c.cancel(req.Params)
		}
		return ""
	}
	if _, ok := c.calls[req.ID]; ok {
		return fmt.Sprintf("the id %v belongs to a call that is not answered yet", req.ID.Raw())
	}
	c.calls[req.ID] = &inFlight{method: req.Method, progress: progressToken(req.Params, "_meta"), batch: b}
	return ""
}

// cancel marks the call that a cancellation names; c.mu is held. A client may
// not cancel initialize.
func (c *stdioConn) cancel(params json.RawMessage) {
	var p struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	id, ok := parseID(p.RequestID)
	if !ok {
		return
	}
	if call := c.calls[id]; call != nil && call.method != "initialize" {
		call.cancelled = true
	}
}

// progressToken returns the JSON of the progress token of params, which stands
// in the member within of params, or in params itself where within is "".
func progressToken(params json.RawMessage, within string) string {
	var holder map[string]json.RawMessage
	if json.Unmarshal(params, &holder) != nil {
		return ""
	}
	if within != "" {
		raw := holder[within]
		holder = nil
		if json.Unmarshal(raw, &holder) != nil {
			return ""
		}
	}
	return string(holder["progressToken"])
}

// Write sends msg, unless it belongs to a call that was cancelled.
func (c *stdioConn) Write(ctx context.Context, msg jsonrpc.Message) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	switch msg := msg.(type) {
	case *jsonrpc.Response:
		defer c.signalAnswer()
		return c.writeResponse(msg)
	case *jsonrpc.Request:
		if msg.Method == "notifications/progress" && c.progressIsLate(msg.Params) {
			return nil
		}
	}
	return c.encodeAndSend(msg)
}

func (c *stdioConn) signalAnswer() {
	select {
	case c.answered <- struct{}{}:
	default:
	}
}

func (c *stdioConn) writeResponse(resp *jsonrpc.Response) error {
	var coded *jsonrpc.Error
	if resp.Error != nil && !errors.As(resp.Error, &coded) {
		// The library would send code 0: it refused the call by itself, because
		// of when it came.
		resp.Error = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: resp.Error.Error()}
	}
	c.mu.Lock()
	call := c.calls[resp.ID]
	delete(c.calls, resp.ID)
	if call != nil && call.method == "initialize" && resp.Error == nil {
		var r struct {
			ProtocolVersion string `json:"protocolVersion"`
		}
		if json.Unmarshal(resp.Result, &r) == nil {
			c.version = r.ProtocolVersion
		}
	}
	c.mu.Unlock()
	switch {
	case call == nil:
		return nil // never read, or refused by the transport
	case call.batch != nil:
		return c.answerInBatch(call, resp)
	case call.cancelled:
		return nil
	}
	return c.encodeAndSend(resp)
}

// progressIsLate reports whether the progress belongs to a cancelled call.
func (c *stdioConn) progressIsLate(params json.RawMessage) bool {
	token := progressToken(params, "")
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, call := range c.calls {
		if call.cancelled && call.progress != "" && call.progress == token {
			return true
		}
	}
	return false
}

func (c *stdioConn) encodeAndSend(msg jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return fmt.Errorf("encoding a message for the client: %w", err)
	}
	return c.send(data)
}

// refuse answers a line that is no message.
func (c *stdioConn) refuse(id jsonrpc.ID, code int64, message string, data map[string]any) error {
	text, err := encodeRefusal(id, code, message, data)
	if err != nil {
		return err
	}
	return c.send(text)
}

// send writes one line in one piece.
func (c *stdioConn) send(data []byte) error {
	c.writeMu.Lock()
	defer c.writeMu.Unlock()
	_, err := c.out.Write(append(data, '\n'))
	return err
}
