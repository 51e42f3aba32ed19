package sandbox

import (
	"sync"

	"github.com/tetratelabs/wazero/experimental"

	"github.com/ox-mcp/ox-mcp/host/sandbox/rewrite"
)

// maxPages is one page short of the format's own maximum: wazero holds the
// size of a memory in 32 bits.
const maxPages = formatPages - 1

// formatPages is the largest memory that the format allows, in pages.
const formatPages = 65536

// memoryPool hands out the linear memory of instances, up to a total.
type memoryPool struct {
	mu    sync.Mutex
	total uint64
	sum   uint64
	live  map[*reservation]struct{}
}

func (p *memoryPool) used() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sum
}

// take counts n bytes that are no instance's memory, if there is room for
// them, until give.
func (p *memoryPool) take(n uint64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sum+n > p.total {
		return false
	}
	p.sum += n
	return true
}

func (p *memoryPool) give(n uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sum -= n
}

// reserve returns the allocator of one instance, which may have up to limit
// bytes.
func (p *memoryPool) reserve(limit uint64) *reservation {
	limit = min(limit, maxPages*rewrite.PageBytes)
	r := &reservation{pool: p, ceiling: limit, limit: limit}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.live == nil {
		p.live = map[*reservation]struct{}{}
	}
	p.live[r] = struct{}{}
	return r
}

// release unmaps the memory of r. The instance must be closed: a slice of its
// memory that is read later crashes the process.
func (p *memoryPool) release(r *reservation) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, ok := p.live[r]; !ok {
		return
	}
	delete(p.live, r)
	p.sum -= r.size
	r.size = 0
	r.space.free()
}

// releaseAll frees what failed instantiations left behind.
func (p *memoryPool) releaseAll() {
	p.mu.Lock()
	live := make([]*reservation, 0, len(p.live))
	for r := range p.live {
		live = append(live, r)
	}
	p.mu.Unlock()
	for _, r := range live {
		p.release(r)
	}
}

// reservation is the memory of one instance. It is an
// experimental.MemoryAllocator for exactly one memory.
type reservation struct {
	pool    *memoryPool
	ceiling uint64 // bytes that the instance may ever have
	limit   uint64 // bytes that the current call may have
	size    uint64
	space   space
	refused *refusal
}

// refusal is a growth that was refused.
type refusal struct {
	asked   uint64 // bytes the memory would have had
	allowed uint64
	total   bool // it was the limit on all instances together
}

// Allocate implements experimental.MemoryAllocator.
func (r *reservation) Allocate(_, most uint64) experimental.LinearMemory {
	r.ceiling = min(r.ceiling, most)
	r.space.reserve(r.ceiling)
	return r
}

// Reallocate implements experimental.LinearMemory.
func (r *reservation) Reallocate(size uint64) []byte {
	if !r.admit(size) {
		return nil
	}
	p := r.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	b := r.space.resize(size)
	if b == nil {
		r.refused = &refusal{asked: size, allowed: r.size}
		return nil
	}
	p.sum += size - r.size
	r.size, r.refused = size, nil
	return b
}

// admit says whether the memory may have size bytes, and remembers a refusal.
func (r *reservation) admit(size uint64) bool {
	p := r.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if allowed := min(r.limit, r.ceiling); size > allowed {
		r.refused = &refusal{asked: size, allowed: allowed}
		return false
	}
	if sum := p.sum - r.size + size; sum > p.total {
		r.refused = &refusal{asked: sum, allowed: p.total, total: true}
		return false
	}
	return true
}

// Free implements experimental.LinearMemory. The mapping stays until the pool
// releases it: others may still import the memory.
func (r *reservation) Free() {}

// bytes is the instance's memory as it is now.
func (r *reservation) bytes() []byte {
	r.pool.mu.Lock()
	defer r.pool.mu.Unlock()
	return r.space.all[:r.size:r.size]
}
