package sandbox

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/ox-mcp/ox-mcp/host/sandbox/rewrite"
)

// Config is what a Host is made from.
type Config struct {
	// CacheDir holds compiled code across runs. It is made if it is missing,
	// and must be the user's own and closed to others: its contents are
	// trusted. Empty: nothing is kept.
	CacheDir string
	// TotalMemory is the limit in bytes on the linear memory of all instances
	// together. It must be at least a page.
	TotalMemory uint64
	// Interpreter runs guests in wazero's interpreter: some forty times
	// slower, with the same answers and the same fuel.
	Interpreter bool
	// Now is the clock for deadlines.
	Now func() time.Time
	// CompileTime is how long the compilation of one module may take; 0 is
	// DefaultCompileTime.
	CompileTime time.Duration
	// Log, if set, gets the lines that guests write to ox:plugin/log.
	Log func(module string, level uint32, message string)
}

// Host admits modules and owns their instances. Its methods may be called
// from several goroutines.
type Host struct {
	config    Config
	engine    wazero.RuntimeConfig // of the guests, without a cache
	runtime   wazero.Runtime
	validator wazero.Runtime // interpreter: checks types without compiling
	kernels   wazero.Runtime // without a cache: a guest could fill the disk with what it makes up
	cache     wazero.CompilationCache
	memory    memoryPool
	snapshots snapshots
	leases    sync.WaitGroup // instances that are open

	mu     sync.Mutex
	closed bool
}

// DefaultCompileTime is how long the compilation of one module may take where
// Config says nothing.
const DefaultCompileTime = 10 * time.Second

// features is WebAssembly Core 2.0 less SIMD.
const features = api.CoreFeaturesV2 &^ api.CoreFeatureSIMD

// New makes a Host. It compiles nothing.
func New(ctx context.Context, config Config) (*Host, error) {
	if config.Now == nil {
		return nil, errors.New("sandbox: Config.Now is missing: deadlines need a clock")
	}
	if config.TotalMemory < rewrite.PageBytes {
		return nil, fmt.Errorf("sandbox: Config.TotalMemory is %d bytes: no guest can run with less than %d", config.TotalMemory, rewrite.PageBytes)
	}
	if config.CompileTime == 0 {
		config.CompileTime = DefaultCompileTime
	}
	h := &Host{config: config, memory: memoryPool{total: config.TotalMemory}, snapshots: sharing}
	engine := wazero.NewRuntimeConfigCompiler()
	if config.Interpreter {
		engine = wazero.NewRuntimeConfigInterpreter()
	}
	h.engine = h.settings(engine)
	guests := h.engine
	if config.CacheDir != "" {
		if err := ownDir(config.CacheDir); err != nil {
			return nil, fmt.Errorf("sandbox: cache folder %s: %w", config.CacheDir, err)
		}
		cache, err := wazero.NewCompilationCacheWithDir(config.CacheDir)
		if err != nil {
			return nil, fmt.Errorf("sandbox: cache folder %s: %w", config.CacheDir, err)
		}
		h.cache = cache
		guests = guests.WithCompilationCache(cache)
	}
	h.runtime = wazero.NewRuntimeWithConfig(ctx, guests)
	h.validator = wazero.NewRuntimeWithConfig(ctx, h.settings(wazero.NewRuntimeConfigInterpreter()))
	h.kernels = wazero.NewRuntimeWithConfig(ctx, h.engine)
	if err := h.offer(ctx); err != nil {
		return nil, errors.Join(err, h.Close(ctx))
	}
	return h, nil
}

func (h *Host) settings(c wazero.RuntimeConfig) wazero.RuntimeConfig {
	pages := min(h.config.TotalMemory/rewrite.PageBytes, maxPages)
	return c.WithCoreFeatures(features).WithMemoryLimitPages(uint32(pages)).WithDebugInfoEnabled(false)
}

// Close waits until every instance is closed, and frees the runtime. No
// method of the Host or of its modules may be called afterwards.
func (h *Host) Close(ctx context.Context) error {
	h.mu.Lock()
	closed := h.closed
	h.closed = true
	h.mu.Unlock()
	if closed {
		return nil
	}
	h.leases.Wait()
	err := errors.Join(h.runtime.Close(ctx), h.validator.Close(ctx), h.kernels.Close(ctx))
	if h.cache != nil {
		err = errors.Join(err, h.cache.Close(ctx))
	}
	h.memory.releaseAll()
	return err
}

// Memory returns the bytes of linear memory that all open instances hold.
func (h *Host) Memory() uint64 { return h.memory.used() }

// lease keeps the Host open for one instance.
func (h *Host) lease() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return errors.New("sandbox: the host is closed")
	}
	h.leases.Add(1)
	return nil
}
