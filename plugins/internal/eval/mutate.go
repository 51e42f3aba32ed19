package eval

import (
	"encoding/binary"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/internal/term"
)

// Minted is an individual that a mutation made.
type Minted struct {
	ID      abi.Term
	Concept string
}

// Outcome is what a mutation did besides its writes.
type Outcome struct {
	Result abi.Term   // term.Unbound: none
	Slots  []abi.Term // the mutation's slots at the end; Unbound where they have no value
	Minted []Minted
}

// Mutate runs mutation index: args are its parameters' values; preset gives
// other slots a value (nil, or one for each slot, Unbound for none). Writes go
// to state as they happen; after a failure the caller drops the state.
func (m *Machine) Mutate(index int, args, preset []abi.Term, state State) (Outcome, *abi.Failure) {
	if index < 0 || index >= len(m.mutations) || len(args) != m.mutations[index].params {
		return Outcome{}, request("the program has no mutation %d of %d parameters", index, len(args))
	}
	c := m.mutations[index]
	if preset != nil && len(preset) != c.slots {
		return Outcome{}, request("%s has %d slots, not %d", c.name, c.slots, len(preset))
	}
	slots := newSlots(c.slots)
	copy(slots, preset)
	copy(slots, args)

	reader := m.Reader
	m.Reader, m.writer, m.minted = state, state, nil
	x, ok, f := m.run(c, slots)
	out := Outcome{Result: x, Slots: slots, Minted: m.minted}
	m.Reader, m.writer, m.minted = reader, nil, nil
	if f == nil && !ok {
		f = m.Fault()
	}
	if f == nil {
		f = m.portable(out.Result)
	}
	return out, f
}

// mint returns the id of the next individual of the call: a UUID of version 7
// (RFC 9562) whose time is the call's instant and whose other bits are those of
// SHA-256 over the seed and the number of ids made before. The representation
// names BLAKE3 here; a guest has the standard library only.
func (m *Machine) mint() abi.Term {
	var block [40]byte
	copy(block[:], m.seed[:])
	binary.LittleEndian.PutUint64(block[32:], m.mints)
	m.mints++
	hash := sha256(block)
	var id [16]byte
	copy(id[:], hash[:])
	ms := uint64(m.now.seconds)*1000 + uint64(m.now.nano)/1_000_000
	var stamp [8]byte
	binary.BigEndian.PutUint64(stamp[:], ms)
	copy(id[:6], stamp[2:])
	id[6] = id[6]&0x0f | 0x70
	id[8] = id[8]&0x3f | 0x80
	return m.table.Minted(id)
}

// assign is an update of a field: operands are its key and then the value.
func (m *Machine) assign(rel int, op abi.AssignOp, operands []abi.Term, at abi.Term) (term.Fault, *abi.Failure) {
	key, value := operands[:len(operands)-1], operands[len(operands)-1]
	if op == abi.AssignDefault {
		if value == abi.None {
			return term.OK, nil
		}
		return term.OK, m.writer.Default(rel, key, value, at)
	}
	if op != abi.AssignSet {
		old, ok, f := m.Reader.Read(rel, key)
		if f != nil {
			return term.OK, f
		}
		if !ok || old == abi.None {
			return term.Absent, nil
		}
		add := m.table.Add
		if op == abi.AssignSub {
			add = m.table.Sub
		}
		var fault term.Fault
		if value, fault = add(old, value); fault != term.OK {
			return fault, nil
		}
	}
	return term.OK, m.put(rel, key, value, at)
}

// put gives a field a value; the absent value takes away the one it has.
func (m *Machine) put(rel int, key []abi.Term, value, at abi.Term) *abi.Failure {
	if value != abi.None {
		return m.writer.Set(rel, key, value, at)
	}
	tuple := append(append([]abi.Term(nil), key...), abi.None)
	wild := make([]bool, len(tuple))
	wild[len(key)] = true
	return m.writer.Retract(rel, tuple, wild, at)
}

// initField gives a field of the new individual x its value.
func (m *Machine) initField(rel int, x, value abi.Term, each bool) (term.Fault, *abi.Failure) {
	if !each {
		if value == abi.None {
			return term.OK, nil
		}
		return term.OK, m.writer.Set(rel, []abi.Term{x}, value, term.Unbound)
	}
	if value == abi.None {
		return term.OK, nil
	}
	if k := m.table.Kind(value); k != abi.KindList && k != abi.KindSet {
		return term.WrongKind, nil
	}
	for _, item := range m.table.Items(value) {
		if f := m.writer.Assert(rel, []abi.Term{x, item}, term.Unbound); f != nil {
			return term.OK, f
		}
	}
	return term.OK, nil
}
