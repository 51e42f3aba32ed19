package sandbox

import (
	"context"
	"errors"
	"time"

	"github.com/tetratelabs/wazero/api"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox/rewrite"
)

// slice is how much fuel the guest gets at a time. The host looks at the
// clock and at the context between slices.
const slice = 1_000_000

// MaxDepth is the most call frames that a guest may have: wazero's
// interpreter stops at 2,000 of its own.
const MaxDepth = 1_950

// meter is the account of one call.
type meter struct {
	ctx      context.Context
	limits   abi.Limits
	fuel     api.MutableGlobal
	depth    api.MutableGlobal
	now      func() time.Time
	deadline time.Time
	granted  uint64 // fuel handed out so far
	calls    uint64
	bytes    uint64
	memory   *reservation
}

// newMeter sets the guest's counters for a call under limits.
func (in *Instance) newMeter(ctx context.Context, limits abi.Limits) *meter {
	m := &meter{ctx: ctx, limits: limits, fuel: in.fuel, depth: in.depth, now: in.module.host.config.Now, memory: in.memory}
	m.deadline = m.now().Add(time.Duration(min(limits.Deadline, maxDeadline)) * time.Millisecond)
	m.granted = min(slice, limits.Fuel)
	m.fuel.Set(m.granted)
	m.depth.Set(uint64(uint32(m.frames())))
	in.memory.limit = min(limits.Memory, in.memory.ceiling)
	in.memory.refused = nil
	return m
}

// maxDeadline keeps a deadline in milliseconds within a time.Duration.
const maxDeadline = uint64(1<<63-1) / uint64(time.Millisecond)

func (m *meter) frames() uint64 { return min(m.limits.Depth, MaxDepth) }

// used is the fuel spent so far.
func (m *meter) used() uint64 { return uint64(int64(m.granted) - int64(m.fuel.Get())) }

// refill hands out slices until the counter is not negative. It returns why
// the call must end, or nil.
func (m *meter) refill() *Trap {
	left := int64(m.fuel.Get())
	for left < 0 {
		rest := m.limits.Fuel - m.granted
		if rest == 0 {
			return breach(OutOfFuel, abi.LimitFuel, m.limits.Fuel, m.used())
		}
		grant := min(slice, rest)
		m.granted += grant
		left += int64(grant)
		m.fuel.Set(uint64(left))
	}
	return m.stopped()
}

// refuel is refill inside the guest's call, which a panic ends.
func (m *meter) refuel() {
	if t := m.refill(); t != nil {
		panic(t)
	}
}

// take takes fuel for work that the host does between the guest's calls.
func (m *meter) take(n uint64) *Trap {
	left := int64(m.fuel.Get()) - int64(n)
	m.fuel.Set(uint64(left))
	if left < 0 {
		return m.refill()
	}
	return nil
}

// charge takes fuel for work that the host does inside the guest's call.
func (m *meter) charge(n uint64) {
	if t := m.take(n); t != nil {
		panic(t)
	}
}

// stopped looks at the clock and at the context.
func (m *meter) stopped() *Trap {
	if now := m.now(); !now.Before(m.deadline) {
		over := now.Sub(m.deadline).Milliseconds()
		return breach(Deadline, abi.LimitDeadline, m.limits.Deadline, m.limits.Deadline+uint64(over))
	}
	if err := m.ctx.Err(); err != nil {
		return &Trap{Kind: Cancelled, Detail: "the caller went away: " + context.Cause(m.ctx).Error(), cause: err}
	}
	return nil
}

// hostCall counts a call of a granted import that moves n bytes.
func (m *meter) hostCall(n uint64) {
	if t := m.stopped(); t != nil {
		panic(t)
	}
	m.calls++
	m.bytes += n
	switch {
	case m.calls > m.limits.HostCalls:
		panic(breach(HostCalls, abi.LimitHostCalls, m.limits.HostCalls, m.calls))
	case m.bytes > m.limits.HostBytes:
		panic(breach(HostCalls, abi.LimitHostBytes, m.limits.HostBytes, m.bytes))
	}
}

// hook is what the metered code calls.
func (in *Instance) hook(kind, argument uint32) {
	m := in.meter
	switch kind {
	case rewrite.HookFuel:
		m.refuel()
	case rewrite.HookDepth:
		panic(breach(Depth, abi.LimitDepth, m.frames(), m.frames()+1))
	case rewrite.HookGrow:
		in.growthRefused(argument)
	}
}

// growthRefused notes a refusal that the allocator did not see: above the
// memory's maximum the runtime refuses without asking it. Where the module
// set that maximum itself, it met its own limit and not ours.
func (in *Instance) growthRefused(pages uint32) {
	size := in.memory.size + uint64(pages)*rewrite.PageBytes
	if own := in.module.rewritten.MemoryMax; own < formatPages && size > uint64(own)*rewrite.PageBytes {
		return
	}
	in.memory.admit(size)
}

// instanceKey is the context's key of the running *Instance.
type instanceKey struct{}

func running(ctx context.Context) *Instance {
	in, _ := ctx.Value(instanceKey{}).(*Instance)
	return in
}

// trapOf turns the error of a guest's call into a Trap.
func (in *Instance) trapOf(export string, err error) *Trap {
	var t *Trap
	if !errors.As(err, &t) {
		t = in.crash(err)
	}
	t.Export = export
	_, stack := splitStack(err.Error())
	if t.Stack != "" { // of a call inside this one
		stack = cut(t.Stack+"\n"+stack, stackBytes)
	}
	t.Stack = stack
	t.Output = in.output.String()
	t.Rule = in.ruleRunning()
	return t
}
