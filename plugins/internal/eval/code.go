package eval

import "github.com/ox-mcp/ox-mcp/abi"

// Code is a compiled expression, function or mutation.
type Code struct {
	name    string // for messages; empty for an expression of a rule
	params  int
	slots   int
	instrs  []instr
	spans   []abi.Span // parallel to instrs
	depth   int        // operands in use at most
	simple  bool       // simple can run it
	scratch []int      // slots that the code binds and that are unbound outside it

	patterns []*Pattern
	types    []*abi.Type
	subs     []sub
	retracts []retract
	texts    []string
}

// Slots returns the number of slots that the code runs over.
func (c *Code) Slots() int { return c.slots }

// sub is a subquery with its compiled result expression.
type sub struct {
	*abi.Sub
	out *Code
}

type retract struct {
	rel  int
	wild []bool
}

// instr is an instruction: a is a slot, a term, a jump target or an index, n a
// number of operands, m a variant of the operation.
type instr struct {
	op opcode
	m  uint8
	n  uint16
	a  uint32
}

// Where a binary operator finds its right operand: on top of the left one, or
// named by the instruction itself, which saves a push.
const (
	rightTop  = iota
	rightTerm // the term a
	rightSlot // slot a
)

type opcode uint8

// The instructions; operands are popped, results pushed.
const (
	opAdd       opcode = iota // the five of term.Op, in its order; m is where the right operand is
	opSub                     //
	opMul                     //
	opDiv                     //
	opMod                     //
	opEq                      // the six of abi.CmpOp, in its order; m as for opAdd
	opNe                      //
	opLt                      //
	opLe                      //
	opGt                      //
	opGe                      //
	opTerm                    // push the term a
	opSlot                    // push slot a
	opStore                   // slot a := pop
	opClear                   // unbind slot a
	opPop                     // drop n operands
	opNeg                     //
	opNot                     //
	opIn                      //
	opBool                    // the top must be a Bool
	opJump                    // to a
	opJumpFalse               // pop; to a if it is false
	opAnd                     // to a, keeping the top, if it is false; else drop it
	opOr                      // to a, keeping the top, if it is true; else drop it
	opOrElse                  // to a, keeping the top, unless it is none; else drop it
	opCall                    // function a
	opReturn                  // with the top
	opBuiltin                 // builtin a of n operands
	opVariant                 // name a, n items
	opStruct                  // name a, n items
	opList                    // n items
	opSet                     // n items
	opField                   // item a
	opWith                    // item a replaced
	opIndex                   //
	opSlice                   //
	opIter                    // pop a list or set, range slot a over it
	opNext                    // next item, or to a after the last
	opGather                  // pop an item for the innermost iterator's result
	opListed                  // end the iterator, push the list of what was gathered
	opFolded                  // end the iterator, push fold a of what was gathered
	opDone                    // end the iterator
	opFold                    // pop a list or set, push its fold a
	opText                    // n operands
	opIsType                  // type a
	opMatch                   // push whether the top matches pattern a
	opFail                    // with fault a
	opRead                    // relation a, n operands; m: absent is none
	opReadAll                 // relation a, n operands
	opHolds                   // relation a, n operands
	opSolve                   // subquery a

	opRequire // pop; if it is false fail with text a
	opMint    // push a new individual of the concept text a
	opAssert  // relation a, n operands, and the time if m
	opRetract // retract a, n operands, and the time if m
	opAssign  // relation a, n operands (key and value), and the time if m&1; m>>1 is the abi.AssignOp
	opInit    // field a of the individual on top := the operand n from the top; m: one tuple an item
	opMutate  // mutation a; pushes its result
)
