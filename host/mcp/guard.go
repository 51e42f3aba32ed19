package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

// The codes of protocol errors that are ours, in the range that the protocol
// leaves to servers.
const (
	codeCouldNotRun = -32000 // data is a runtime.Error
	codeCancelled   = -32001
)

// guard returns the middleware that gives every error a code of the protocol,
// and that lets the server survive a panic of a handler: the caller gets an id,
// log gets the stack under the same id.
func guard(log io.Writer) sdk.Middleware {
	var panics atomic.Uint64
	return func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (res sdk.Result, err error) {
			defer func() {
				v := recover()
				if v == nil {
					return
				}
				id := panicID(panics.Add(1), v)
				fmt.Fprintf(log, "panic %s in %s: %v\n%s", id, method, v, debug.Stack())
				res, err = nil, &jsonrpc.Error{
					Code:    jsonrpc.CodeInternalError,
					Message: "internal error " + id + ": a defect of the server, which goes on; the standard error of the server has the details under this id",
				}
			}()
			res, err = next(ctx, method, req)
			if err != nil {
				return nil, protocolError(err)
			}
			return res, nil
		}
	}
}

// panicID is short, distinct within a run, and alike for alike panics.
func panicID(n uint64, v any) string {
	sum := sha256.Sum256(fmt.Append(nil, v))
	return fmt.Sprintf("p%d-%s", n, hex.EncodeToString(sum[:3]))
}

func protocolError(err error) error {
	var (
		coded *jsonrpc.Error
		could *runtime.Error
	)
	switch {
	case errors.As(err, &coded):
		return err
	case errors.As(err, &could):
		data, merr := json.Marshal(could)
		if merr != nil {
			data = nil
		}
		return &jsonrpc.Error{Code: codeCouldNotRun, Message: could.Message, Data: data}
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return &jsonrpc.Error{Code: codeCancelled, Message: "the call was cancelled: " + err.Error()}
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}
}
