package eval

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/abi/phrase"
)

func request(format string, args ...any) *abi.Failure {
	return &abi.Failure{Code: abi.FailureRequest, Message: phrase.Of(format, args...), Rule: -1}
}

func breach(limit string, allowed, used uint64, message string, span abi.Span) *abi.Failure {
	return &abi.Failure{
		Code:    abi.FailureLimit,
		Message: message,
		Span:    span,
		Limit:   &abi.Breach{Limit: limit, Allowed: allowed, Used: used},
		Rule:    -1,
	}
}
