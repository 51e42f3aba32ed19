package eval

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/abi/phrase"
	"github.com/ox-mcp/ox-mcp/plugins/internal/term"
)

// DefaultCalls is the depth of language-level calls where a call's limits set
// none.
const DefaultCalls = 10_000

// MaxNesting bounds how often evaluation may come back into the machine
// through Reader.Solve.
const MaxNesting = 48

// MaxItemsOut bounds the items, nested ones included, of a value that leaves
// the instance or is written.
const MaxItemsOut = 1 << 20

// Machine compiles and runs code over the terms of one table. It is not safe
// for concurrent use.
type Machine struct {
	// Reader is what fn bodies read; nil while rules are evaluated, so that an
	// expression that reads is refused there.
	Reader Reader

	table     *term.Table
	constants []abi.Term
	functions []*Code
	mutations []*Code

	writer Writer
	minted []Minted

	now      moment
	seed     [32]byte
	mints    uint64
	maxCalls uint64

	stack  []abi.Term // operands
	regs   []abi.Term // slots of called functions and mutations
	iters  []iterator
	items  []abi.Term // what comprehensions have gathered
	frames []frame
	sp     int // operands in use, while the machine is not running
	depth  uint64
	nest   int
	text   []byte

	fault     term.Fault
	faultSpan abi.Span
	faultIn   string
}

type moment struct {
	seconds int64
	nano    int32
}

// New returns a machine without program.
func New(table *term.Table) *Machine { return &Machine{table: table, maxCalls: DefaultCalls} }

// Load compiles a program's functions and mutations behind those that are
// there, and takes its constants. Calling it again adds an extension.
func (m *Machine) Load(constants []abi.Value, functions []abi.Function, mutations []abi.Mutation) *abi.Failure {
	for i := range constants {
		m.constants = append(m.constants, m.table.Intern(constants[i]))
	}
	// All are known before any is compiled: they may call each other.
	fns, muts := len(m.functions), len(m.mutations)
	for i := range functions {
		m.functions = append(m.functions, &Code{name: "fn " + functions[i].Name, params: len(functions[i].Params), slots: len(functions[i].Slots)})
	}
	for i := range mutations {
		m.mutations = append(m.mutations, &Code{name: "mutate " + mutations[i].Name, params: len(mutations[i].Params), slots: len(mutations[i].Slots)})
	}
	for i := range functions {
		if f := m.compileInto(m.functions[fns+i], func(c *compiler) { c.function(&functions[i].Body) }); f != nil {
			return f
		}
	}
	for i := range mutations {
		if f := m.compileInto(m.mutations[muts+i], func(c *compiler) { c.mutation(mutations[i].Body) }); f != nil {
			return f
		}
	}
	return nil
}

// Mark is how much of a program a machine has.
type Mark struct{ constants, functions, mutations int }

// Mark returns how much there is now.
func (m *Machine) Mark() Mark { return Mark{len(m.constants), len(m.functions), len(m.mutations)} }

// Back takes away what has been loaded since a mark.
func (m *Machine) Back(to Mark) {
	clear(m.functions[to.functions:])
	clear(m.mutations[to.mutations:])
	m.constants, m.functions, m.mutations = m.constants[:to.constants], m.functions[:to.functions], m.mutations[:to.mutations]
}

// Constant returns the term of constant i of the program.
func (m *Machine) Constant(i int) abi.Term { return m.constants[i] }

// Begin sets the context of a call: its instant, its seed and its limits.
func (m *Machine) Begin(call *abi.Call) {
	m.now = moment{call.Now.Int, call.Now.Nano}
	if call.Now.Kind == abi.KindDay {
		m.now = moment{call.Now.Int * abi.SecondsPerDay, 0}
	}
	m.seed, m.mints = call.Seed, 0
	m.maxCalls = call.Limits.Calls
	if m.maxCalls == 0 {
		m.maxCalls = DefaultCalls
	}
}

// Compile compiles an expression over slots slots.
func (m *Machine) Compile(e *abi.Expr, slots int) (*Code, *abi.Failure) {
	code := &Code{slots: slots}
	if f := m.compileInto(code, func(c *compiler) { c.function(e) }); f != nil {
		return nil, f
	}
	return code, nil
}

// Eval evaluates compiled code over the slots, which it reads and, for slots
// that only the expression binds, writes and leaves unbound. ok is false if
// the expression failed; Fault then says why.
func (m *Machine) Eval(c *Code, slots []abi.Term) (x abi.Term, ok bool, f *abi.Failure) {
	if c.simple {
		if x, ok = simple(c.instrs, slots); ok {
			return x, true, nil
		}
	}
	x, ok, f = m.run(c, slots)
	for _, s := range c.scratch {
		slots[s] = term.Unbound
	}
	return x, ok, f
}

// EvalStrict is Eval where a fault is an error, and so is a value that is
// nested too deeply to leave the instance.
func (m *Machine) EvalStrict(c *Code, slots []abi.Term) (abi.Term, *abi.Failure) {
	x, ok, f := m.Eval(c, slots)
	if f == nil && !ok {
		f = m.Fault()
	}
	if f == nil {
		f = m.portable(x)
	}
	return x, f
}

// portable refuses values that no message can carry.
func (m *Machine) portable(values ...abi.Term) *abi.Failure {
	for _, x := range values {
		if d := m.table.Depth(x); d > abi.MaxValueDepth {
			return &abi.Failure{
				Code: abi.FailureEval, Rule: -1,
				Message: phrase.Of("a value is nested %d deep, and at most %d levels can be stored or shown", d, abi.MaxValueDepth),
			}
		}
		if !m.table.Within(x, MaxItemsOut) {
			return &abi.Failure{
				Code: abi.FailureEval, Rule: -1,
				Message: phrase.Of("a value has more than the %d items that can be stored or shown", MaxItemsOut),
				Limit:   &abi.Breach{Limit: abi.LimitValue, Allowed: MaxItemsOut, Used: MaxItemsOut + 1},
			}
		}
	}
	return nil
}

// Call calls function index with args.
func (m *Machine) Call(index int, args []abi.Term) (abi.Term, *abi.Failure) {
	if index < 0 || index >= len(m.functions) || len(args) != m.functions[index].params {
		return 0, request("the program has no function %d of %d parameters", index, len(args))
	}
	c := m.functions[index]
	slots := newSlots(c.slots)
	copy(slots, args)
	return m.EvalStrict(c, slots)
}

// Fault returns the failure that the last evaluation's fault is in fn, mutate
// and test.
func (m *Machine) Fault() *abi.Failure {
	message := m.fault.String()
	if m.faultIn != "" {
		message += " (in " + m.faultIn + ")"
	}
	return &abi.Failure{Code: abi.FailureEval, Message: message, Span: m.faultSpan, Rule: -1}
}

func newSlots(n int) []abi.Term {
	slots := make([]abi.Term, n)
	for i := range slots {
		slots[i] = term.Unbound
	}
	return slots
}
