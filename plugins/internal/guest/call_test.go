package guest

import (
	"errors"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
)

func TestAnswerOfAHandler(t *testing.T) {
	var nobody *abi.Failure
	for _, c := range []struct {
		name    string
		handler Handler
		payload string // of an answer
		code    string // of a failure
		message string // part of it
	}{
		{name: "response", handler: func(b []byte) ([]byte, *abi.Failure) { return append(b, '!'), nil }, payload: "request!"},
		{name: "empty response", handler: func([]byte) ([]byte, *abi.Failure) { return nil, nil }},
		{name: "failure", handler: func([]byte) ([]byte, *abi.Failure) { return nil, Refuse(abi.FailureEval, "division by zero") }, code: abi.FailureEval, message: "division"},
		{name: "panic", handler: func([]byte) ([]byte, *abi.Failure) { panic("lost") }, code: abi.FailureInternal, message: "lost"},
		{name: "panic with an error", handler: func([]byte) ([]byte, *abi.Failure) { panic(errors.New("lost")) }, code: abi.FailureInternal, message: "lost"},
		{name: "fault", handler: func(b []byte) ([]byte, *abi.Failure) { return b[:100], nil }, code: abi.FailureInternal, message: "out of range"},
		{name: "nil pointer", handler: func([]byte) ([]byte, *abi.Failure) { return nil, &abi.Failure{Code: nobody.Code} }, code: abi.FailureInternal, message: "nil pointer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			request := []byte("request")
			discriminant, payload := answer(request[:len(request):len(request)], c.handler)
			if c.code == "" {
				if discriminant != 0 || string(payload) != c.payload {
					t.Fatalf("%d %q, want 0 %q", discriminant, payload, c.payload)
				}
				return
			}
			var f abi.Failure
			if err := f.DecodeCBOR(payload); err != nil || discriminant != 1 {
				t.Fatalf("%d %v", discriminant, err)
			}
			if f.Code != c.code || !strings.Contains(f.Message, c.message) {
				t.Fatalf("%+v, want %s with %q", f, c.code, c.message)
			}
		})
	}
}

func TestTypedHandlerDecodesAndEncodes(t *testing.T) {
	calls := 0
	handler := Typed[abi.DeriveRequest, abi.Stats](func(q *abi.DeriveRequest) (*abi.Stats, *abi.Failure) {
		calls++
		if q.Relation < 0 {
			return nil, Refuse(abi.FailureRequest, "no such relation")
		}
		return &abi.Stats{Terms: uint64(q.Relation)}, nil
	})
	b, failure := handler((&abi.DeriveRequest{Relation: 7}).AppendCBOR(nil))
	var s abi.Stats
	if failure != nil || s.DecodeCBOR(b) != nil || s.Terms != 7 {
		t.Fatalf("%v %+v", failure, s)
	}
	if _, failure = handler((&abi.DeriveRequest{Relation: -1}).AppendCBOR(nil)); failure == nil || failure.Rule != -1 {
		t.Fatalf("%+v, want a failure of no rule", failure)
	}
	if _, failure = handler([]byte("junk")); failure == nil || failure.Code != abi.FailureRequest || calls != 2 {
		t.Fatalf("%+v after %d calls, want a refusal without a call", failure, calls)
	}
}
