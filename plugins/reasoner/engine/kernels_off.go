//go:build !kernels

package engine

import "github.com/ox-mcp/ox-mcp/abi"

// kernels is empty in a build without kernels (kernels.go).
type kernels struct{}

func (*kernels) begin(*abi.Call) {}

func (*Engine) runKernel(*plan, *window, *headSink) (done bool, f *abi.Failure) { return false, nil }
