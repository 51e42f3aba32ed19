package sandbox

import (
	"context"
	"fmt"
	"sync"

	"github.com/tetratelabs/wazero"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox/rewrite"
)

// Module is an admitted, compiled module.
type Module struct {
	host        *Host
	name        string
	code        code
	rewritten   *rewrite.Result
	memoryCap   uint64
	hash        string
	meteredHash string
	cached      bool
	description abi.Description

	mu     sync.Mutex
	open   int  // instances
	closed bool // as soon as no instance is open
}

// code is what instances of a module are made of.
type code struct {
	compiled wazero.CompiledModule
	data     []rewrite.Segment // of a new memory, if compiled has no data section
}

// Name returns the name given to Admit.
func (m *Module) Name() string { return m.name }

// Description returns what the module's describe said; zero if the module was
// admitted without a world.
func (m *Module) Description() abi.Description { return m.description }

// Hash returns the BLAKE3-256 of the module as it came, in hexadecimal.
func (m *Module) Hash() string { return m.hash }

// MeteredHash returns the BLAKE3-256 of the rewritten module. Equal hashes
// mean equal fuel.
func (m *Module) MeteredHash() string { return m.meteredHash }

// Cached reports whether the metered code, and with it as a rule what it was
// compiled to, came from the cache folder.
func (m *Module) Cached() bool { return m.cached }

// Snapshotable reports whether instances can be cloned, and if not, why.
func (m *Module) Snapshotable() (ok bool, why string) {
	return m.rewritten.Snapshotable, m.rewritten.Keep
}

// Exports reports whether the module exports a function of this name.
func (m *Module) Exports(name string) bool {
	_, ok := m.rewritten.Exports[name]
	return ok
}

// Close frees the compiled code once the last open instance is closed. No
// instance can be made after it.
func (m *Module) Close(ctx context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil
	}
	m.closed = true
	if m.open > 0 {
		return nil
	}
	return m.code.compiled.Close(ctx)
}

// lease keeps the module's code, and the host, for one instance.
func (m *Module) lease() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return fmt.Errorf("sandbox: the module %s is closed", m.name)
	}
	if err := m.host.lease(); err != nil {
		return err
	}
	m.open++
	return nil
}

// release gives a lease back.
func (m *Module) release(ctx context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.open--
	var err error
	if m.closed && m.open == 0 {
		err = m.code.compiled.Close(ctx)
	}
	m.host.leases.Done()
	return err
}
