package runtime

import (
	"context"
	"errors"
	"sync"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/runtime/conformance"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
)

// Conform runs vectors with known answers on an admitted reasoner and returns
// those that it gets wrong. The error is for ctx alone.
func Conform(ctx context.Context, suite *conformance.Suite, m *sandbox.Module) ([]conformance.Failure, error) {
	// Most of the time goes into making instances, which several can do at once.
	parts := suite.Parts(conformWorkers)
	failures, errs := make([][]conformance.Failure, len(parts)), make([]error, len(parts))
	var all sync.WaitGroup
	for i, part := range parts {
		all.Go(func() { failures[i], errs[i] = conform(ctx, part, m) })
	}
	all.Wait()
	var out []conformance.Failure
	for _, f := range failures {
		out = append(out, f...)
	}
	return out, errors.Join(errs...)
}

// conformWorkers is how many parts of the vectors run side by side.
const conformWorkers = 4

func conform(ctx context.Context, suite *conformance.Suite, m *sandbox.Module) ([]conformance.Failure, error) {
	limits := conformance.Limits()
	var fresh *sandbox.Instance
	defer func() { drop(ctx, &fresh) }()
	return suite.Run(ctx, func(ctx context.Context) (conformance.Instance, error) {
		// Starting a guest takes longer than a vector: where the build allows it,
		// all vectors run on clones of one instance that has just started.
		if ok, _ := m.Snapshotable(); !ok {
			in, err := m.Instantiate(ctx, limits)
			return conforming{in}, err
		}
		if fresh == nil {
			var err error
			if fresh, err = m.Instantiate(ctx, limits); err != nil {
				return nil, err
			}
		}
		in, err := fresh.Clone(ctx)
		return conforming{in}, err
	})
}

// conforming is an instance as the vectors see it.
type conforming struct{ in *sandbox.Instance }

func (c conforming) Call(ctx context.Context, export string, request []byte, limits abi.Limits) ([]byte, error) {
	out, _, err := c.in.Call(ctx, export, request, limits)
	return out, err
}

func (c conforming) Close(ctx context.Context) { drop(ctx, &c.in) }
