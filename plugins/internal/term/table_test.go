package term

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
	"pgregory.net/rapid"
)

// anyNumber draws numbers around every boundary that the table has.
func anyNumber() *rapid.Generator[*big.Rat] {
	return rapid.Custom(func(t *rapid.T) *big.Rat {
		part := rapid.OneOf(
			rapid.Int64Range(-5, 5),
			rapid.Int64(),
			rapid.SampledFrom([]int64{
				abi.MinInline - 1, abi.MinInline, abi.MaxInline, abi.MaxInline + 1,
				math.MaxUint32, math.MaxUint32 + 1, math.MaxInt64, math.MinInt64, 100, 1000,
			}),
		)
		n := big.NewInt(part.Draw(t, "n"))
		d := big.NewInt(part.Draw(t, "d"))
		if rapid.Bool().Draw(t, "wide") {
			n.Mul(n, big.NewInt(part.Draw(t, "n2")))
		}
		if d.Sign() == 0 || rapid.Bool().Draw(t, "integer") {
			d.SetInt64(1)
		}
		return new(big.Rat).SetFrac(n, d)
	})
}

// anyValue draws values of all kinds, nested up to depth.
func anyValue(depth int) *rapid.Generator[abi.Value] {
	text := rapid.SampledFrom([]string{"", "a", "b", "ab", "m::a", "m::b", "m::E::Tag", "é", "a long text that passes eight bytes"})
	moment := rapid.OneOf(rapid.Int64Range(-3, 3), rapid.SampledFrom([]int64{abi.SecondsPerDay, -abi.SecondsPerDay, 1 << 40}))
	return rapid.Custom(func(t *rapid.T) abi.Value {
		kinds := []abi.Kind{
			abi.KindNum, abi.KindString, abi.KindNamed, abi.KindMinted, abi.KindSymbol, abi.KindType,
			abi.KindInstant, abi.KindSpan, abi.KindMoney, abi.KindDay, abi.KindBool, abi.KindNone,
		}
		if depth > 0 {
			kinds = append(kinds, abi.KindVariant, abi.KindStruct, abi.KindList, abi.KindSet, abi.KindMap, abi.KindRange)
		}
		v := abi.Value{Kind: rapid.SampledFrom(kinds).Draw(t, "kind")}
		switch v.Kind {
		case abi.KindNum:
			return abi.RatValue(anyNumber().Draw(t, "number"))
		case abi.KindMoney:
			return abi.MoneyValue(anyNumber().Draw(t, "amount"), rapid.SampledFrom([]string{"EUR", "USD"}).Draw(t, "currency"))
		case abi.KindInstant, abi.KindSpan:
			v.Int, v.Nano = moment.Draw(t, "s"), rapid.SampledFrom([]int32{0, 1, 999_999_999}).Draw(t, "ns")
		case abi.KindDay:
			v.Int = rapid.OneOf(rapid.Int64Range(-2, 2), rapid.SampledFrom([]int64{abi.MaxInline + 1, abi.MinInline})).Draw(t, "day")
		case abi.KindBool:
			v = abi.BoolValue(rapid.Bool().Draw(t, "bool"))
		case abi.KindMinted:
			v.ID[rapid.IntRange(0, 15).Draw(t, "at")] = rapid.Byte().Draw(t, "byte")
		case abi.KindNone:
		default:
			if isText(v.Kind) || hasName(v.Kind) {
				v.Str = text.Draw(t, "text")
			}
		}
		if !isComposite(v.Kind) {
			return v
		}
		low, high := 0, 3
		switch v.Kind {
		case abi.KindVariant:
			low = 1
		case abi.KindRange:
			low, high = 2, 2
		case abi.KindMap:
			// One entry is in normal form whatever it is.
			low, high = 2, 2
		case abi.KindSet:
			high = 1
		}
		v.Items = rapid.SliceOfN(anyValue(depth-1), low, high).Draw(t, "items")
		return v
	})
}

func TestOrderOfTermsIsTheOrderOfValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := New()
		a, b := anyValue(3).Draw(t, "a"), anyValue(3).Draw(t, "b")
		x, y := table.Intern(a), table.Intern(b)
		if got, want := table.Compare(x, y), abi.Compare(a, b); got != want {
			t.Fatalf("Compare(%v, %v) = %d, values give %d", a, b, got, want)
		}
		if (x == y) != abi.Equal(a, b) {
			t.Fatalf("terms %#x, %#x of %v, %v", x, y, a, b)
		}
	})
}

func TestValueGivesBackWhatWasInterned(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := New()
		v := anyValue(3).Draw(t, "v")
		x := table.Intern(v)
		if got := table.Value(x); !abi.Equal(got, v) || got.Kind != v.Kind {
			t.Fatalf("%v came back as %v", v, got)
		}
		if table.Kind(x) != v.Kind {
			t.Fatalf("kind %d, want %d", table.Kind(x), v.Kind)
		}
	})
}

func TestOneNumberIsOneTerm(t *testing.T) {
	table := New()
	for _, c := range []struct {
		name string
		a, b abi.Value
	}{
		{"integer and decimal", abi.IntValue(3), abi.RatValue(big.NewRat(300, 100))},
		{"beyond the inline range", abi.IntValue(1 << 40), abi.RatValue(big.NewRat(1<<41, 2))},
		{"fraction", abi.RatValue(big.NewRat(1, 3)), abi.RatValue(big.NewRat(2, 6))},
		{"not in normal form", abi.Value{Kind: abi.KindNum, Rat: big.NewRat(5, 1)}, abi.IntValue(5)},
	} {
		if x, y := table.Intern(c.a), table.Intern(c.b); x != y {
			t.Errorf("%s: terms %#x and %#x", c.name, x, y)
		}
	}
}

func TestIdsFollowTheOrderOfFirstInterning(t *testing.T) {
	table := New()
	texts := []string{"b", "a", "b", "c", "a"}
	want := []uint32{0, 1, 0, 2, 1}
	for i, s := range texts {
		if x := table.String(s); x.Tag() != abi.TagTable || x.Index() != want[i] {
			t.Errorf("%q (%d) is %#x, want index %d", s, i, x, want[i])
		}
	}
	before := table.Len()
	table.Intern(abi.IntValue(7))
	table.Intern(abi.DayValue(7))
	table.Intern(abi.BoolValue(true))
	table.Intern(abi.NoneValue())
	if table.Len() != before {
		t.Errorf("values that need no table made it grow from %d to %d", before, table.Len())
	}
}

func TestSetsAndMapsAreInNormalForm(t *testing.T) {
	table := New()
	one, two, s := table.Int(1), table.Int(2), table.String("s")
	if a, b := table.Set([]abi.Term{s, two, one, two}), table.Set([]abi.Term{one, two, s}); a != b {
		t.Errorf("one set has the terms %#x and %#x", a, b)
	}
	if got := fmt.Sprint(table.Items(table.Set([]abi.Term{two, one, two}))); got != fmt.Sprint([]abi.Term{one, two}) {
		t.Errorf("items %s", got)
	}
	a := table.Map([]abi.Term{two, s, one, one, two, two})
	b := table.Map([]abi.Term{one, one, two, two})
	if a != b {
		t.Errorf("one map has the terms %#x and %#x", a, b)
	}
}

func TestTextGrowsWithoutMovingWhatWasThere(t *testing.T) {
	table := New()
	first := table.String("first")
	kept := table.Str(first)
	for i := range 20_000 {
		table.String(fmt.Sprint("text ", i))
	}
	big := table.String(string(make([]byte, 3*chunkSize)))
	if kept != "first" || table.Str(first) != "first" || len(table.Str(big)) != 3*chunkSize {
		t.Errorf("text changed: %q, %q, %d bytes", kept, table.Str(first), len(table.Str(big)))
	}
	for i := range 20_000 {
		if x := table.String(fmt.Sprint("text ", i)); int(x.Index()) != i+1 {
			t.Fatalf("text %d is found at %d", i, x.Index())
		}
	}
}

func TestDeepValuesNeedNoStack(t *testing.T) {
	const depth = 200_000
	table := New()
	deep := func(end abi.Value) abi.Value {
		v := end
		for range depth {
			v = abi.Value{Kind: abi.KindList, Items: []abi.Value{v}}
		}
		return v
	}
	a, b := table.Intern(deep(abi.IntValue(1))), table.Intern(deep(abi.IntValue(2)))
	if table.Depth(a) != depth {
		t.Errorf("depth %d", table.Depth(a))
	}
	if c := table.Compare(a, b); c != -1 {
		t.Errorf("Compare = %d", c)
	}
	text, fault := table.AppendText(nil, a)
	if fault != OK || len(text) != 2*depth+1 {
		t.Errorf("%d bytes of text, fault %v", len(text), fault)
	}
	v := table.Value(b)
	for range depth {
		v = v.Items[0]
	}
	if !abi.Equal(v, abi.IntValue(2)) {
		t.Errorf("innermost value %v", v)
	}
}

func TestWithinCountsWhatAValueIsWrittenOut(t *testing.T) {
	table := New()
	one := table.Int(1)
	pair := table.List([]abi.Term{one, one})
	four := table.List([]abi.Term{pair, pair})
	for _, c := range []struct {
		x     abi.Term
		items int
		want  bool
	}{
		{one, 0, true}, {pair, 1, false}, {pair, 2, true}, {four, 5, false}, {four, 6, true},
	} {
		if got := table.Within(c.x, c.items); got != c.want {
			t.Errorf("Within(%v, %d) = %v", table.Value(c.x), c.items, got)
		}
	}
	for range 60 {
		pair = table.List([]abi.Term{pair, pair})
	}
	if table.Within(pair, 1<<20) {
		t.Error("a value of 2^61 items is within a million")
	}
}

func TestFramesCarryRowsBetweenTables(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from, to := New(), New()
		to.String("the tables' ids differ")
		rows := rapid.SliceOfN(rapid.SliceOfN(anyValue(2), 2, 2), 0, 60).Draw(t, "rows")
		w := from.NewFrameWriter(2)
		single := rapid.IntRange(0, len(rows)).Draw(t, "one at a time")
		cols, picked := make([][]abi.Term, 2), []uint32(nil)
		for i, row := range rows {
			if i < single {
				w.Row([]abi.Term{from.Intern(row[0]), from.Intern(row[1])})
				continue
			}
			// Those that are picked stand the other way round.
			for c := range cols {
				cols[c] = append(cols[c], from.Intern(rows[len(rows)-1-(i-single)][c]))
			}
			picked = append(picked, uint32(len(rows)-1-i))
		}
		w.Pick(cols, picked)
		frame := w.Frame()
		seen := map[string]bool{}
		for _, v := range frame.Dict {
			key := string(abi.AppendValue(nil, v))
			if seen[key] {
				t.Fatalf("%v is twice in the dictionary", v)
			}
			seen[key] = true
		}
		dict := to.InternFrame(nil, &frame)
		for i, row := range rows {
			for c, want := range row {
				x, ok := Resolve(dict, frame.Columns[c][i])
				if !ok || !abi.Equal(to.Value(x), want) {
					t.Fatalf("row %d, column %d: %v, want %v", i, c, to.Value(x), want)
				}
			}
		}
	})
}

func TestResolveRefusesTermsThatAreNotOfTheFrame(t *testing.T) {
	dict := []abi.Term{abi.True}
	for x, want := range map[abi.Term]bool{
		0: true, 1: false, abi.PayloadMask: false, abi.None: true, abi.None + 1: false, Unbound: false, abi.TagInt | 5: true,
	} {
		if _, ok := Resolve(dict, x); ok != want {
			t.Errorf("Resolve(%#x) ok = %v, want %v", x, ok, want)
		}
	}
}

func BenchmarkInternStrings(b *testing.B) {
	texts := make([]string, 1_000_000)
	for i := range texts {
		texts[i] = fmt.Sprint("example.org/module/", i)
	}
	for b.Loop() {
		t := New()
		for _, s := range texts {
			t.String(s)
		}
		for _, s := range texts {
			t.String(s)
		}
	}
	b.ReportMetric(float64(2*len(texts)*b.N)/b.Elapsed().Seconds()/1e6, "Mstrings/s")
}
