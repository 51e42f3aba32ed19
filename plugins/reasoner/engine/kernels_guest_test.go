//go:build wasip1 && kernels

package engine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/ox-mcp/ox-mcp/abi"
)

//go:wasmimport ox:plugin/kernel@0.1.0 load
func loadKernel(module unsafe.Pointer, size uint32) int32

//go:wasmimport ox:plugin/kernel@0.1.0 call
func callKernel(kernel, function uint32, values unsafe.Pointer, count uint32) int32

// testKernels are kernels whose calls are counted.
type testKernels struct{ calls *int }

func (testKernels) Load(module []byte) int32 {
	return loadKernel(unsafe.Pointer(unsafe.SliceData(module)), uint32(len(module)))
}

func (k testKernels) Call(handle int32, values *uint64) bool {
	*k.calls++
	return callKernel(uint32(handle), 0, unsafe.Pointer(values), 1) == 0
}

// withKernels has the engine make kernels for all rules that may have one.
func withKernels(e *Engine) *int {
	calls := new(int)
	e.kernels.use(testKernels{calls}, 0, 1)
	e.kernels.uncounted = true
	return calls
}

// A kernel derives what the plan of its rule does, each tuple in the same round,
// for every kind of step and of head, and where its room and its sets grow.
func TestKernelsDeriveWhatPlansDo(t *testing.T) {
	const x, y, z, w = 0, 1, 2, 3
	compare := func(op abi.CmpOp, a, b int) abi.Atom {
		return abi.Atom{Op: abi.AtomCmp, Cmp: op, Args: slots(a, b)}
	}
	type world struct{ a, b, c, h, u, three int }
	cases := []struct {
		about string
		rule  func(*builder, world) int
		head  func(world) int
	}{
		{"two probes", func(b *builder, r world) int {
			return b.rule(r.h, slots(x, w), 4, scan(r.h, x, y), scan(r.a, y, z), scan(r.b, z, w))
		}, func(r world) int { return r.h }},
		{"an index on two columns", func(b *builder, r world) int {
			return b.rule(r.h, slots(x, z), 3, scan(r.h, x, y), scan(r.c, x, y, z))
		}, func(r world) int { return r.h }},
		{"a pair that must be there", func(b *builder, r world) int {
			return b.rule(r.h, slots(x, z), 3, scan(r.h, x, y), scan(r.a, y, z), scan(r.b, x, z))
		}, func(r world) int { return r.h }},
		{"a triple that must be there", func(b *builder, r world) int {
			return b.rule(r.h, slots(z, x), 3, scan(r.h, x, y), scan(r.a, y, z), scan(r.c, x, y, z))
		}, func(r world) int { return r.h }},
		{"unequal", func(b *builder, r world) int {
			return b.rule(r.h, slots(x, z), 3, scan(r.h, x, y), scan(r.a, y, z), compare(abi.CmpNe, x, z))
		}, func(r world) int { return r.h }},
		{"equal", func(b *builder, r world) int {
			return b.rule(r.h, slots(y, z), 4, scan(r.h, x, y), scan(r.a, y, z), scan(r.b, z, w), compare(abi.CmpEq, x, w))
		}, func(r world) int { return r.h }},
		{"one row is enough", func(b *builder, r world) int {
			return b.rule(r.h, slots(x, z), 3, scan(r.h, x, y), scan(r.a, y, z), scan(r.b, z, -1))
		}, func(r world) int { return r.h }},
		{"a constant", func(b *builder, r world) int {
			atom := scan(r.c, x, -1, z)
			atom.Args[1] = abi.Arg{Op: abi.ArgConst, Index: b.constant(abi.IntValue(3))}
			return b.rule(r.h, slots(y, z), 3, scan(r.h, x, y), atom)
		}, func(r world) int { return r.h }},
		{"the head twice", func(b *builder, r world) int {
			return b.rule(r.h, slots(x, w), 4, scan(r.h, x, y), scan(r.h, y, z), scan(r.a, z, w))
		}, func(r world) int { return r.h }},
		{"one column", func(b *builder, r world) int {
			return b.rule(r.u, slots(y), 2, scan(r.u, x), scan(r.a, x, y))
		}, func(r world) int { return r.u }},
		{"three columns", func(b *builder, r world) int {
			return b.rule(r.three, slots(x, z, w), 4, scan(r.three, x, y, z), scan(r.a, z, w))
		}, func(r world) int { return r.three }},
	}
	for _, c := range cases {
		t.Run(c.about, func(t *testing.T) {
			calls := 0
			for seed := range uint64(8) {
				d := rand.New(rand.NewPCG(seed, 9))
				b := newBuilder()
				r := world{a: b.base("a", 2), b: b.base("b", 2), c: b.base("c", 3)}
				r.h, r.u, r.three = b.derived("h", 2), b.derived("u", 1), b.derived("three", 3)
				b.component(true, []int{r.h, r.u, r.three},
					b.rule(r.h, slots(0, 1), 2, scan(r.a, 0, 1)),
					b.rule(r.u, slots(0), 1, scan(r.b, 0, 0)),
					b.rule(r.three, slots(0, 0, 1), 2, scan(r.b, 0, 1)),
					c.rule(b, r))
				with, without := newEngine(defaultBatch), newEngine(defaultBatch)
				made := withKernels(with)
				domain, facts := []int64{4, 30, 120}[seed%3], []int{20, 200, 900}[seed%3]
				value := func() int64 {
					v := d.Int64N(domain)
					if seed >= 4 && v%5 == 0 { // no inline integer
						v += 1 << 40
					}
					return v
				}
				rows := map[int][][]int64{}
				for range facts {
					rows[r.a] = append(rows[r.a], []int64{value(), value()})
					rows[r.b] = append(rows[r.b], []int64{value(), value()})
					rows[r.c] = append(rows[r.c], []int64{value(), value(), value()}, []int64{value(), 3, value()})
				}
				for i := range domain {
					rows[r.b] = append(rows[r.b], []int64{i, i})
				}
				var got [2][]string
				for i, e := range []*Engine{with, without} {
					e.handful = 0
					if _, f := e.Load(&abi.LoadRequest{Program: b.p}); f != nil {
						t.Fatal(f)
					}
					for _, rel := range []int{r.a, r.b, r.c} {
						assertInts(t, e, rel, rows[rel]...)
					}
					if _, f := e.Derive(&abi.DeriveRequest{Relation: c.head(r)}); f != nil {
						t.Fatal(f)
					}
					data := e.rels[c.head(r)].data
					for row := range uint32(data.Rows()) {
						_, round := data.Tag(row)
						got[i] = append(got[i], fmt.Sprint(data.Row(nil, row), round))
					}
					slices.Sort(got[i])
				}
				if !slices.Equal(got[0], got[1]) {
					t.Fatalf("seed %d: %d rows, want %d", seed, len(got[0]), len(got[1]))
				}
				calls += *made
			}
			if calls < 8 {
				t.Fatalf("kernels were called %d times", calls)
			}
		})
	}
}
