package runtime

import (
	"cmp"
	"encoding/hex"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
)

// testInstant is what tests with receipts see as now, where no --now is given.
var testInstant = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// testSeed is the seed of tests where no --seed is given.
const testSeed = "test"

func (s *Service) testSeed() []byte {
	if s.cfg.Seed != nil {
		return s.cfg.Seed
	}
	return []byte(testSeed)
}

// fixed gives the session the instant of tests with receipts.
func (ses *session) fixed() {
	ses.now = testInstant
	if ses.s.cfg.Now != nil {
		ses.now = *ses.s.cfg.Now
	}
	ses.point.vt = momentOf(ses.now)
}

// testCall is the context of one step of a test. Nothing in it is drawn: the
// same test gives the same ids.
func (ses *session) testCall(name string, step int) abi.Call {
	return abi.Call{
		Now: instantOf(ses.now), Limits: ses.call.Limits,
		Seed: hash(ses.s.testSeed(), []byte(name), []byte(strconv.Itoa(step))),
	}
}

// newReceipts are receipts without a test.
func (ses *session) newReceipts() *Receipts {
	seed := hash(ses.s.testSeed())
	return &Receipts{
		Form: receiptForm, Package: ses.m.artifact.Build.Package, ModuleHash: ses.m.hash.String(),
		Now: ses.now.UTC().Format(time.RFC3339Nano), Seed: "blake3:" + hex.EncodeToString(seed[:]),
		Limits: ses.s.receiptLimits(), Tests: []TestReceipt{},
	}
}

// take adds the receipt of a test, if it has one.
func (r *Receipts) take(t *TestReceipt) {
	if t != nil {
		r.Tests = append(r.Tests, *t)
	}
}

// close completes the receipts once all tests ran.
func (r *Receipts) close(ses *session) {
	r.Metered, r.Evaluators = ses.g.reasoner.meteredHash(), ses.evaluators()
	slices.SortFunc(r.Tests, func(a, b TestReceipt) int { return cmp.Compare(a.Name, b.Name) })
}

// answered takes note of what a step came to. The work that it took is no part
// of the answer.
func (r *testRun) answered(resp message, err error) {
	var trap *sandbox.Trap
	var failure *abi.Failure
	switch {
	case errors.As(err, &trap):
		r.unsteady = r.unsteady || byClock(err)
		r.answers = append(r.answers, []byte("trap "+string(trap.Kind)+" "+trap.Limit.Limit))
	case errors.As(err, &failure):
		r.answers = append(r.answers, failure.AppendCBOR(nil))
	case err != nil:
		r.answers = append(r.answers, []byte("error "+err.Error()))
	default:
		switch m := resp.(type) {
		case *abi.MutateResponse:
			plain := *m
			plain.Work = abi.Work{}
			resp = &plain
		case *abi.ComputeResponse:
			plain := *m
			plain.Work = abi.Work{}
			resp = &plain
		}
		r.answers = append(r.answers, resp.AppendCBOR(nil))
	}
}

// byClock reports whether the clock or the caller stopped a call: it does not
// stop at the same place twice.
func byClock(err error) bool {
	var trap *sandbox.Trap
	return errors.As(err, &trap) && (trap.Kind == sandbox.Deadline || trap.Kind == sandbox.Cancelled)
}

// receipt is the receipt of a test that cost used; nil where the clock had a
// hand in it.
func (r *testRun) receipt(used Usage) *TestReceipt {
	if r.unsteady {
		return nil
	}
	ses := r.ses
	parts := [][]byte{ses.m.hash[:], []byte(ses.g.reasoner.meteredHash()), []byte(r.test.Name), ses.s.testSeed(), []byte(ses.now.UTC().Format(time.RFC3339Nano))}
	limits := ses.s.receiptLimits()
	for _, name := range sortedKeys(limits) {
		parts = append(parts, []byte(name), []byte(strconv.FormatUint(limits[name], 10)))
	}
	in := hash(parts...)
	answers := append([][]byte{[]byte(r.report.Outcome)}, r.answers...)
	if f := r.report.Failure; f != nil {
		answers = append(answers, []byte(f.Message))
	}
	out := hash(answers...)
	return &TestReceipt{
		Name: r.test.Name, Outcome: r.report.Outcome, Steps: r.ran,
		InputHash: "blake3:" + hex.EncodeToString(in[:]), ResultHash: "blake3:" + hex.EncodeToString(out[:]),
		Fuel: used.Fuel, MemoryBytes: used.MemoryBytes, Rounds: used.Rounds,
	}
}

func addUsage(a, b Usage) Usage {
	return Usage{Fuel: a.Fuel + b.Fuel, MemoryBytes: max(a.MemoryBytes, b.MemoryBytes), Rounds: a.Rounds + b.Rounds, Derived: a.Derived + b.Derived, ByDemand: a.ByDemand + b.ByDemand}
}
