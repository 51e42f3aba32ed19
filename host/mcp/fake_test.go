package mcp

import (
	"context"
	"reflect"
	"sync"

	"github.com/ox-mcp/ox-mcp/host/runtime"
)

// fakeService answers every operation with a result that has every field set,
// or with what on returns for it.
type fakeService struct {
	on func(ctx context.Context, request any) (any, error) // nil result and error: the default

	mu       sync.Mutex
	requests []any
}

func (f *fakeService) last() any {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.requests) == 0 {
		return nil
	}
	return f.requests[len(f.requests)-1]
}

func serve[R any](ctx context.Context, f *fakeService, request any) (*R, error) {
	f.mu.Lock()
	f.requests = append(f.requests, request)
	f.mu.Unlock()
	if f.on != nil {
		r, err := f.on(ctx, request)
		if err != nil {
			return nil, err
		}
		if r != nil {
			return r.(*R), nil
		}
	}
	var full R
	fill(reflect.ValueOf(&full).Elem(), 0)
	return &full, nil
}

type statusRequest struct{}

func (f *fakeService) Check(ctx context.Context, r runtime.CheckRequest) (*runtime.CheckResult, error) {
	return serve[runtime.CheckResult](ctx, f, r)
}

func (f *fakeService) Build(ctx context.Context, r runtime.BuildRequest) (*runtime.BuildResult, error) {
	return serve[runtime.BuildResult](ctx, f, r)
}

func (f *fakeService) Status(ctx context.Context) (*runtime.StatusResult, error) {
	return serve[runtime.StatusResult](ctx, f, statusRequest{})
}

func (f *fakeService) Test(ctx context.Context, r runtime.TestRequest) (*runtime.TestResult, error) {
	return serve[runtime.TestResult](ctx, f, r)
}

func (f *fakeService) Query(ctx context.Context, r runtime.QueryRequest) (*runtime.RowsResult, error) {
	return serve[runtime.RowsResult](ctx, f, r)
}

func (f *fakeService) Derive(ctx context.Context, r runtime.DeriveRequest) (*runtime.RowsResult, error) {
	return serve[runtime.RowsResult](ctx, f, r)
}

func (f *fakeService) Explain(ctx context.Context, r runtime.ExplainRequest) (*runtime.ExplainResult, error) {
	return serve[runtime.ExplainResult](ctx, f, r)
}

func (f *fakeService) Why(ctx context.Context, r runtime.WhyRequest) (*runtime.WhyResult, error) {
	return serve[runtime.WhyResult](ctx, f, r)
}

func (f *fakeService) Checks(ctx context.Context, r runtime.ChecksRequest) (*runtime.ChecksResult, error) {
	return serve[runtime.ChecksResult](ctx, f, r)
}

func (f *fakeService) Mutate(ctx context.Context, r runtime.MutateRequest) (*runtime.MutateResult, error) {
	return serve[runtime.MutateResult](ctx, f, r)
}

func (f *fakeService) Compute(ctx context.Context, r runtime.ComputeRequest) (*runtime.ComputeResult, error) {
	return serve[runtime.ComputeResult](ctx, f, r)
}

func (f *fakeService) Schema(ctx context.Context, r runtime.SchemaRequest) (*runtime.SchemaResult, error) {
	return serve[runtime.SchemaResult](ctx, f, r)
}

func (f *fakeService) Epistemics(ctx context.Context, r runtime.EpistemicsRequest) (*runtime.EpistemicsResult, error) {
	return serve[runtime.EpistemicsResult](ctx, f, r)
}

func (f *fakeService) Catalog() []runtime.CatalogEntry {
	return []runtime.CatalogEntry{
		{Code: "OE0001", Severity: "Error", Title: "one", Explanation: "the first"},
		{Code: "OE0605", Severity: "Error", Title: "other", Explanation: "the second", Remediation: &runtime.Remediation{Class: "edit", Text: "do"}},
	}
}

// fixed are values of fields whose values are an enumeration.
var fixed = map[string]string{"Severity": "Error", "Truth4": "Is", "Kind": "rule", "Outcome": "FAIL"}

// fill sets every field of v, to a depth that ends recursive types.
func fill(v reflect.Value, depth int) {
	const deepest = 9
	switch v.Kind() {
	case reflect.Pointer:
		if depth < deepest {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), depth+1)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 0, 1))
		if depth+1 < deepest {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			fill(v.Index(0), depth+1)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		e := reflect.New(v.Type().Elem()).Elem()
		fill(e, depth+1)
		v.SetMapIndex(reflect.ValueOf("k"), e)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[runtime.Cell]() {
			v.Set(reflect.ValueOf(runtime.Cell{Text: "<x>", JSON: map[string]any{"id": "root::x", "name": "<x>"}}))
			return
		}
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if !f.IsExported() {
				continue
			}
			if s, ok := fixed[f.Name]; ok && f.Type.Kind() == reflect.String {
				v.Field(i).SetString(s)
				continue
			}
			fill(v.Field(i), depth+1)
		}
	case reflect.String:
		v.SetString("a <: b & c")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Uint64:
		v.SetUint(9007199254740993)
	case reflect.Interface:
		v.Set(reflect.ValueOf("x"))
	}
}
