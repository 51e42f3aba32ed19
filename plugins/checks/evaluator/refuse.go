package evaluator

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/abi/phrase"
)

func refuse(format string, args ...any) *abi.Failure {
	return &abi.Failure{Code: abi.FailureRequest, Message: phrase.Of(format, args...), Rule: -1}
}
