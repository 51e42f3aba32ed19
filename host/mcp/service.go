package mcp

import (
	"context"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

// Service is what the frontend needs of the runtime: one method an operation.
// A method returns *runtime.InvalidArguments where its arguments do not fit,
// *runtime.Error where it could not run, and a result otherwise, also for a
// refusal. Methods are called from several goroutines at once and stop soon
// after ctx is cancelled.
type Service interface {
	Check(ctx context.Context, r runtime.CheckRequest) (*runtime.CheckResult, error)
	Build(ctx context.Context, r runtime.BuildRequest) (*runtime.BuildResult, error)
	Status(ctx context.Context) (*runtime.StatusResult, error)
	Test(ctx context.Context, r runtime.TestRequest) (*runtime.TestResult, error)
	Query(ctx context.Context, r runtime.QueryRequest) (*runtime.RowsResult, error)
	Derive(ctx context.Context, r runtime.DeriveRequest) (*runtime.RowsResult, error)
	Explain(ctx context.Context, r runtime.ExplainRequest) (*runtime.ExplainResult, error)
	Why(ctx context.Context, r runtime.WhyRequest) (*runtime.WhyResult, error)
	Checks(ctx context.Context, r runtime.ChecksRequest) (*runtime.ChecksResult, error)
	Mutate(ctx context.Context, r runtime.MutateRequest) (*runtime.MutateResult, error)
	Compute(ctx context.Context, r runtime.ComputeRequest) (*runtime.ComputeResult, error)
	Schema(ctx context.Context, r runtime.SchemaRequest) (*runtime.SchemaResult, error)
	Epistemics(ctx context.Context, r runtime.EpistemicsRequest) (*runtime.EpistemicsResult, error)

	// Catalog returns the diagnostic catalog, ordered by code.
	Catalog() []runtime.CatalogEntry
}
