package evaluator

import (
	"fmt"

	"github.com/ox-mcp/ox-mcp/abi"
)

func refuse(format string, args ...any) *abi.Failure {
	return &abi.Failure{Code: abi.FailureRequest, Message: fmt.Sprintf(format, args...), Rule: -1}
}
