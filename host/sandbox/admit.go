package sandbox

import (
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"
	"lukechampine.com/blake3"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox/rewrite"
)

// The admission codes beside those of rewrite.
const (
	CodeInvalid         rewrite.Code = "invalid"          // the types do not fit
	CodeCompile         rewrite.Code = "compile"          // the compiler gave up
	CodeCompileDeadline rewrite.Code = "compile_deadline" // compilation took longer than Config.CompileTime
	CodePanic           rewrite.Code = "runtime_panic"    // the runtime panicked over the module
	CodeExport          rewrite.Code = "missing_export"   // a function that the world asks for is not there, or has another type
	CodeABI             rewrite.Code = "abi_version"
	CodeWorld           rewrite.Code = "world"
	CodeDescribe        rewrite.Code = "describe" // describe did not answer; Err says why
)

// AdmissionError says why a module was not admitted.
type AdmissionError struct {
	Code     rewrite.Code
	Detail   string
	Function int   // index in the module's function space, or -1
	Offset   int   // byte offset in the module, or -1
	Err      error // what the guest's describe ended with, or the context's error, or nil
}

func (e *AdmissionError) Error() string {
	r := rewrite.Refusal{Code: e.Code, Detail: e.Detail, Function: e.Function, Offset: e.Offset}
	return r.Error()
}

// Unwrap returns Err.
func (e *AdmissionError) Unwrap() error { return e.Err }

func refused(code rewrite.Code, format string, args ...any) *AdmissionError {
	return &AdmissionError{Code: code, Detail: fmt.Sprintf(format, args...), Function: -1, Offset: -1}
}

// AdmitOptions say what a module is admitted for.
type AdmitOptions struct {
	// World is abi.WorldReasoner or abi.WorldEvaluator: the exports that the
	// module must have and the describe that is called. Empty: any exports, and
	// nothing is called.
	World string
	// MemoryCap is the largest memory of an instance in bytes; 0 takes
	// Limits.Memory.
	MemoryCap uint64
	// Grants are the imports that the operator gives the module, by the Grant
	// names of abi. A module that names another is refused. Check evaluators are
	// not given kernels.
	Grants []string
	// Hash is the BLAKE3-256 of the module in hexadecimal, where the caller has
	// made it of these bytes; empty: Admit does.
	Hash string
	// Limits hold for start-up and describe.
	Limits abi.Limits
}

// Admit checks, rewrites and compiles a module, and asks it for its
// description. A refusal is an *AdmissionError; other errors
// are those of the cache folder. name is for logs and errors.
func (h *Host) Admit(ctx context.Context, name string, wasm []byte, o AdmitOptions) (*Module, error) {
	if o.MemoryCap == 0 {
		o.MemoryCap = o.Limits.Memory
	}
	memoryCap := min(o.MemoryCap, h.config.TotalMemory, maxPages*rewrite.PageBytes)
	if o.World == abi.WorldEvaluator {
		o.Grants = slices.DeleteFunc(slices.Clone(o.Grants), func(g string) bool { return g == abi.GrantKernel })
	}
	hash := o.Hash
	if hash == "" {
		hash = digest(wasm)
	}
	metered, code, err := h.code(ctx, wasm, hash, o.World, rewrite.Options{
		Limits:      rewrite.DefaultLimits(),
		MemoryPages: uint32(memoryCap / rewrite.PageBytes),
		Grants:      grants(o.Grants...),
		Instead:     instead(o.Grants),
	})
	if err != nil {
		return nil, err
	}
	m := &Module{
		host: h, name: name, code: code, memoryCap: memoryCap,
		hash: hash, meteredHash: metered.hash, rewritten: metered.result, cached: metered.cached,
	}
	if o.World != "" {
		if e := m.describe(ctx, metered.key, o); e != nil {
			return nil, with(e, m.Close(ctx))
		}
	}
	return m, nil
}

// code meters and compiles a module, or takes both from the cache.
func (h *Host) code(ctx context.Context, wasm []byte, hash, world string, o rewrite.Options) (*metered, code, error) {
	key := meteredKey(hash, o)
	if m := h.keptMetered(key, o, false); m != nil && h.outlines() && wantExports(m.result, world) == nil {
		if c, ok := h.fromOutline(ctx, m); ok {
			return m, c, nil
		}
	}
	m, err := h.meter(ctx, wasm, key, o)
	if err != nil {
		return nil, code{}, err
	}
	if e := wantExports(m.result, world); e != nil {
		return nil, code{}, e
	}
	c, e := h.compileMetered(ctx, m)
	if e != nil {
		return nil, code{}, e
	}
	return m, c, nil
}

func digest(b []byte) string {
	sum := blake3.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// validate checks the module as it came: the rewriter keeps valid modules
// valid, and must not make valid what was not.
func (h *Host) validate(ctx context.Context, wasm []byte) (refusal *AdmissionError) {
	defer recoverAs(&refusal, "validating")
	compiled, err := h.validator.CompileModule(ctx, wasm)
	if err != nil {
		return refused(CodeInvalid, "%s", err)
	}
	if err := compiled.Close(ctx); err != nil {
		return refused(CodeInvalid, "%s", err)
	}
	return nil
}

// compile compiles metered code in the time given. With one worker the compiler
// would not look at the deadline.
func compile(ctx context.Context, r wazero.Runtime, metered []byte, most time.Duration) (compiled wazero.CompiledModule, refusal *AdmissionError) {
	defer recoverAs(&refusal, "compiling")
	inTime, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	compiled, err := r.CompileModule(experimental.WithCompilationWorkers(inTime, 2), metered)
	switch {
	case err == nil:
		return compiled, nil
	case ctx.Err() != nil:
		e := refused(CodeCompile, "the caller went away while the module was compiled: %s", ctx.Err())
		e.Err = ctx.Err()
		return nil, e
	case inTime.Err() != nil:
		return nil, refused(CodeCompileDeadline, "the module was not compiled after %s: split its large functions", most)
	}
	return nil, refused(CodeCompile, "%s", err)
}

// recoverAs turns a panic of the runtime into a refusal.
func recoverAs(refusal **AdmissionError, doing string) {
	if p := recover(); p != nil {
		*refusal = refused(CodePanic, "the runtime panicked while %s the module: %v", doing, p)
	}
}

// The types of the calling convention.
const (
	typeRealloc  rewrite.Signature = "iiii>i"
	typeExchange rewrite.Signature = "ii>i"
	typeGive     rewrite.Signature = ">i"
	typePost     rewrite.Signature = "i>"
	typeInit     rewrite.Signature = ">"

	exportRealloc    = "cabi_realloc"
	exportInitialize = "_initialize"
	postPrefix       = "cabi_post_"
)

// wantExports checks that the module can be called as world says. A reasoner
// need not export every operation: calling one that is missing is an error.
func wantExports(r *rewrite.Result, world string) *AdmissionError {
	want := map[string]rewrite.Signature{}
	switch world {
	case "":
	case abi.WorldReasoner:
		want[abi.ExportDescribe] = typeGive
		want[exportRealloc] = typeRealloc
	case abi.WorldEvaluator:
		want[abi.ExportEvaluatorDescribe] = typeGive
		want[abi.ExportEvaluate] = typeExchange
		want[exportRealloc] = typeRealloc
	default:
		return refused(CodeWorld, "the host knows no world %q", world)
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		signature := want[name]
		if have, ok := r.Exports[name]; !ok {
			return refused(CodeExport, "the %s world needs the export %s with the type %s", world, name, signature)
		} else if have != signature {
			return refused(CodeExport, "the export %s has the type %s, the %s world needs %s", name, have, world, signature)
		}
	}
	if world != "" && r.Memory == "" {
		return refused(CodeExport, "the module exports no memory")
	}
	if have, ok := r.Exports[exportInitialize]; ok && have != typeInit {
		return refused(CodeExport, "the export %s has the type %s, it must be %s", exportInitialize, have, typeInit)
	}
	return nil
}
