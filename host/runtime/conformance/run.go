package conformance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/lower"
)

// Instance is one instance of the build that is tested.
type Instance interface {
	// Call sends a request to an export, by its full name. The error is an
	// *abi.Failure where the build answered with one.
	Call(ctx context.Context, export string, request []byte, limits abi.Limits) ([]byte, error)
	Close(ctx context.Context)
}

// Open makes an instance that holds no program.
type Open func(ctx context.Context) (Instance, error)

// Failure is an answer that is not the vector's.
type Failure struct {
	Vector string   `json:"vector"`
	Line   int      `json:"line"` // of the call, in the vector's file
	Call   string   `json:"call"`
	Want   []string `json:"want"`
	Got    []string `json:"got"`
}

func (f Failure) String() string {
	return fmt.Sprintf("%s, line %d: %s: the answer is %s, it should be %s", f.Vector, f.Line, f.Call, shown(f.Got), shown(f.Want))
}

func shown(lines []string) string {
	if len(lines) == 0 {
		return "empty"
	}
	return "`" + strings.Join(lines, " | ") + "`"
}

// Limits are what the calls of vectors may cost: plenty for programs of their
// size.
func Limits() abi.Limits {
	return abi.Limits{
		Fuel: 2_000_000_000, Memory: 256 << 20, Deadline: 10_000, Depth: 1900, Calls: 10_000, Rounds: 10_000, Derived: 100_000,
		Rows: 10_000, ResultBytes: 1 << 20, HostCalls: 1000, HostBytes: 1 << 20, OutputBytes: 16 << 20, SourceBytes: 1 << 20, BodyBytes: 1 << 20,
	}
}

// Parts splits the suite into n suites of about the same size, in order.
func (s *Suite) Parts(n int) []*Suite {
	var out []*Suite
	for i := range n {
		from, to := i*len(s.Vectors)/n, (i+1)*len(s.Vectors)/n
		if from < to {
			out = append(out, &Suite{Vectors: s.Vectors[from:to]})
		}
	}
	return out
}

// Run runs all vectors and returns what went wrong: at most one failure a
// vector. The error is for ctx alone.
func (s *Suite) Run(ctx context.Context, open Open) ([]Failure, error) {
	var out []Failure
	for _, v := range s.Vectors {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		f, err := v.run(ctx, open, nil)
		if err != nil {
			return out, err
		}
		if f != nil {
			out = append(out, *f)
		}
	}
	return out, nil
}

// unreadable begins the answer of a call that does not read.
const unreadable = "the call does not read: "

// run runs one vector up to its first failure. With answers, each answer goes
// there and none is compared.
func (v *Vector) run(ctx context.Context, open Open, answers *[][]string) (*Failure, error) {
	r := &runner{vector: v, open: open, limits: Limits()}
	defer func() { r.drop(ctx) }()
	if got := r.start(ctx); len(got) > 0 {
		return &Failure{Vector: v.Name, Line: 1, Call: "load", Got: got}, ctx.Err()
	}
	for i := range v.Steps {
		st := &v.Steps[i]
		got, err := r.step(ctx, st.Call)
		if err != nil {
			got = []string{unreadable + err.Error()}
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if answers != nil {
			*answers = append(*answers, got)
			continue
		}
		if err != nil || !slices.EqualFunc(got, st.Want, meets) {
			return &Failure{Vector: v.Name, Line: st.Line, Call: st.Call, Want: st.Want, Got: got}, nil
		}
	}
	return nil, nil
}

// meets compares a line of an answer. A wanted line may name several that all
// are right, with " or " between them: which of two limits ends an endless
// recursion is the build's own business.
func meets(got, want string) bool {
	return got == want || strings.HasPrefix(want, "failure ") && slices.Contains(strings.Split(want, " or "), got)
}

// runner is one vector under way.
type runner struct {
	vector *Vector
	open   Open
	in     Instance
	limits abi.Limits
	names  names
	cut    int // bytes that the next request loses at its end
	pad    int // bytes that it gets more
}

func (r *runner) drop(ctx context.Context) {
	if r.in != nil {
		r.in.Close(ctx)
		r.in = nil
	}
}

// now is the instant that all calls of vectors see.
var now = abi.Value{Kind: abi.KindInstant, Int: 1_900_000_000}

func (r *runner) call() abi.Call {
	c := abi.Call{Now: now, Limits: r.limits}
	for i := range c.Seed {
		c.Seed[i] = byte(i + 1)
	}
	return c
}

type request interface{ AppendCBOR([]byte) []byte }

type response interface{ DecodeCBOR([]byte) error }

// ask sends a message; the lines are those of a failure.
func (r *runner) ask(ctx context.Context, export string, req request, resp response) []string {
	body := req.AppendCBOR(nil)
	body = append(body[:max(0, len(body)-r.cut)], make([]byte, r.pad)...)
	r.cut, r.pad = 0, 0
	return r.send(ctx, export, body, resp)
}

func (r *runner) send(ctx context.Context, export string, body []byte, resp response) []string {
	out, err := r.in.Call(ctx, export, body, r.limits)
	var f *abi.Failure
	switch {
	case errors.As(err, &f) && f.Limit != nil:
		return []string{"failure " + f.Code + " " + f.Limit.Limit}
	case errors.As(err, &f):
		return []string{"failure " + f.Code}
	case err != nil:
		return []string{"trap: " + err.Error()}
	}
	if err := resp.DecodeCBOR(out); err != nil {
		return []string{"an answer that does not decode: " + err.Error()}
	}
	return nil
}

// start opens an instance, loads the program and asserts its facts.
func (r *runner) start(ctx context.Context) []string {
	if got := r.fresh(ctx); got != nil {
		return got
	}
	if got := r.load(ctx, r.vector.program); got != nil {
		return got
	}
	return r.declare(ctx, r.vector.facts)
}

func (r *runner) fresh(ctx context.Context) []string {
	r.drop(ctx)
	in, err := r.open(ctx)
	if err != nil {
		return []string{"no instance: " + err.Error()}
	}
	r.in = in
	return nil
}

func (r *runner) load(ctx context.Context, p abi.Program) []string {
	return r.ask(ctx, abi.ExportLoad, &abi.LoadRequest{Call: r.call(), Program: p}, &abi.LoadResponse{})
}

func (r *runner) declare(ctx context.Context, facts []lower.FactSet) []string {
	if len(facts) == 0 {
		return nil
	}
	req := abi.AssertRequest{Call: r.call()}
	for _, f := range facts {
		req.Deltas = append(req.Deltas, abi.Delta{Relation: f.Relation, Frame: f.Frame})
	}
	return r.ask(ctx, abi.ExportAssert, &req, &abi.AssertResponse{})
}
