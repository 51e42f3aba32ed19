package guest

import (
	"strconv"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/abi/phrase"
)

// Handler answers a request. The request is the handler's to keep. The
// response must not be changed after the return.
type Handler func(request []byte) ([]byte, *abi.Failure)

// Message is a message of the contract.
type Message[T any] interface {
	*T
	AppendCBOR(dst []byte) []byte
	DecodeCBOR(b []byte) error
}

// Typed makes a Handler of a function on messages. A request that does not
// decode is answered with FailureRequest and f is not called.
func Typed[Request, Response any, P Message[Request], Q Message[Response]](f func(*Request) (*Response, *abi.Failure)) Handler {
	return func(b []byte) ([]byte, *abi.Failure) {
		if len(b) >= pacedBytes {
			defer paceRequest(b)()
		}
		request := new(Request)
		if err := P(request).DecodeCBOR(b); err != nil {
			return nil, Refuse(abi.FailureRequest, err.Error())
		}
		response, failure := f(request)
		if failure != nil {
			return nil, failure
		}
		return Q(response).AppendCBOR(nil), nil
	}
}

// Refuse returns a Failure of no rule and no place.
func Refuse(code, message string) *abi.Failure {
	return &abi.Failure{Code: code, Message: message, Rule: -1}
}

// answer runs the handler and gives the discriminant and the payload of its
// result. A panic of the handler is a FailureInternal: the instance may be
// half changed by then, and its owner should drop it.
func answer(request []byte, handler Handler) (discriminant uint32, payload []byte) {
	response, failure := call(request, handler)
	if failure != nil {
		return 1, failure.AppendCBOR(nil)
	}
	return 0, response
}

// reason is what a panic says.
func reason(panicked any) string {
	if s, ok := phrase.Text(panicked); ok {
		return s
	}
	return "with a value that says nothing"
}

func call(request []byte, handler Handler) (response []byte, failure *abi.Failure) {
	defer func() {
		if r := recover(); r != nil {
			response, failure = nil, Refuse(abi.FailureInternal, "the plugin panicked: "+reason(r))
		}
	}()
	return handler(request)
}

// badPointer is the answer to a request that is not in memory which Realloc
// gave.
func badPointer(ptr, size uint32) *abi.Failure {
	return Refuse(abi.FailureRequest, "the request at address "+strconv.FormatUint(uint64(ptr), 10)+", length "+
		strconv.FormatUint(uint64(size), 10)+" is not memory that cabi_realloc gave: allocate it first, and use it for one call")
}
