package term

import (
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/ox-mcp/ox-mcp/abi"
	"pgregory.net/rapid"
)

func TestArithmeticIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := New()
		a, b := anyNumber().Draw(t, "a"), anyNumber().Draw(t, "b")
		x, y := table.Rat(a), table.Rat(b)
		check := func(name string, got abi.Term, fault Fault, want *big.Rat) {
			if fault != OK || table.rat(got).Cmp(want) != 0 || got != table.Rat(want) {
				t.Fatalf("%s(%v, %v): fault %v, term %#x", name, a, b, fault, got)
			}
		}
		sum, fault := table.Add(x, y)
		check("Add", sum, fault, new(big.Rat).Add(a, b))
		difference, fault := table.Sub(x, y)
		check("Sub", difference, fault, new(big.Rat).Sub(a, b))
		product, fault := table.Mul(x, y)
		check("Mul", product, fault, new(big.Rat).Mul(a, b))
		negative, fault := table.Neg(x)
		check("Neg", negative, fault, new(big.Rat).Neg(a))
		absolute, fault := table.Abs(x)
		check("Abs", absolute, fault, new(big.Rat).Abs(a))
		if got, want := table.Compare(x, y), a.Cmp(b); got != want {
			t.Fatalf("Compare(%v, %v) = %d", a, b, got)
		}
		if table.Sign(x) != a.Sign() || table.IsInteger(x) != a.IsInt() {
			t.Fatalf("sign or wholeness of %v", a)
		}
		quotient, fault := table.Div(x, y)
		rest, fault2 := table.Mod(x, y)
		if b.Sign() == 0 {
			if fault != DivideByZero || fault2 != DivideByZero {
				t.Fatalf("division by zero gave faults %v, %v", fault, fault2)
			}
			return
		}
		q := new(big.Rat).Quo(a, b)
		check("Div", quotient, fault, q)
		whole := new(big.Rat).SetInt(new(big.Int).Div(q.Num(), q.Denom()))
		check("Mod", rest, fault2, new(big.Rat).Sub(a, whole.Mul(whole, b)))
	})
}

func TestSumIsTheSumOfItsParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := New()
		parts := rapid.SliceOfN(anyNumber(), 1, 6).Draw(t, "parts")
		want := new(big.Rat)
		var sum, money Sum
		eur := table.String("EUR")
		for _, p := range parts {
			want.Add(want, p)
			x := table.Rat(p)
			if f := sum.Add(table, x); f != OK {
				t.Fatal(f)
			}
			if f := money.Add(table, table.Money(x, eur)); f != OK {
				t.Fatal(f)
			}
		}
		other := anyNumber().Draw(t, "other")
		x, coin := table.Rat(other), table.Money(table.Rat(other), eur)
		terms, sign := table.Len(), other.Cmp(new(big.Rat).Quo(want, big.NewRat(int64(len(parts)), 1)))
		if got := sum.AgainstMean(table, x); got != sign {
			t.Fatalf("%v against the mean of %v: %d, want %d", other, parts, got, sign)
		}
		if got := money.AgainstMean(table, coin); got != sign {
			t.Fatalf("money of %v against the mean of %v: %d, want %d", other, parts, got, sign)
		}
		if table.Len() != terms {
			t.Fatalf("a comparison with the mean made %d terms", table.Len()-terms)
		}
		if x, f := sum.Total(table); f != OK || x != table.Rat(want) {
			t.Fatalf("sum of %v: fault %v", parts, f)
		}
		if x, f := money.Total(table); f != OK || x != table.Money(table.Rat(want), eur) {
			t.Fatalf("money of %v: fault %v", parts, f)
		}
	})
}

func TestSumRefusesMixedParts(t *testing.T) {
	table := New()
	one := table.Int(1)
	eur, usd := table.Money(one, table.String("EUR")), table.Money(one, table.String("USD"))
	for _, c := range []struct {
		name string
		a, b abi.Term
		want Fault
	}{
		{"currencies", eur, usd, Currencies},
		{"number and money", one, eur, Currencies},
		{"money and number", eur, one, Currencies},
		{"zero and money", table.Int(0), eur, OK},
		{"money and zero", eur, table.Int(0), OK},
		{"string", table.String("x"), one, WrongKind},
		{"durations", table.Span(1, 0), table.Span(2, 0), OK},
	} {
		var s Sum
		got := s.Add(table, c.a)
		if got == OK {
			got = s.Add(table, c.b)
		}
		if got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	var spans Sum
	spans.Add(table, table.Span(-1, 500_000_000))
	spans.Add(table, table.Span(2, 600_000_000))
	if x, f := spans.Total(table); f != OK || x != table.Span(2, 100_000_000) {
		t.Errorf("sum of durations: %v, fault %v", table.Value(x), f)
	}
	for seconds, want := range map[int64]int{1: -1, 2: 1} { // the mean is 1.05 seconds
		if got := spans.AgainstMean(table, table.Span(seconds, 0)); got != want {
			t.Errorf("%d s against the mean: %d, want %d", seconds, got, want)
		}
	}
	if x, f := new(Sum).Total(table); f != OK || x != table.Int(0) {
		t.Errorf("sum of nothing: %v, fault %v", table.Value(x), f)
	}
}

// examples are values by a name that tables of tests can show.
func examples(t *Table) map[string]abi.Term {
	return map[string]abi.Term{
		"1": t.Int(1), "2": t.Int(2), "0": t.Int(0), "3": t.Int(3), "1/2": t.Rat(big.NewRat(1, 2)),
		"s":     t.String("s"),
		"6EUR":  t.Money(t.Int(6), t.String("EUR")),
		"2EUR":  t.Money(t.Int(2), t.String("EUR")),
		"2USD":  t.Money(t.Int(2), t.String("USD")),
		"day10": t.Day(10), "day11": t.Day(11), "day9": t.Day(9),
		"noon10":  t.Instant(10*abi.SecondsPerDay+43200, 0),
		"start10": t.Instant(10*abi.SecondsPerDay, 0),
		"1d":      t.Span(abi.SecondsPerDay, 0), "-1d": t.Span(-abi.SecondsPerDay, 0), "2d": t.Span(2*abi.SecondsPerDay, 0),
		"12h": t.Span(43200, 0), "0s": t.Span(0, 0), "-12h": t.Span(-43200, 0),
		"12EUR": t.Money(t.Int(12), t.String("EUR")), "8EUR": t.Money(t.Int(8), t.String("EUR")),
		"4EUR": t.Money(t.Int(4), t.String("EUR")), "3EUR": t.Money(t.Int(3), t.String("EUR")),
		"true": abi.True, "none": abi.None, "ss": t.String("ss"),
	}
}

func TestArithmeticOfOtherKinds(t *testing.T) {
	ops := map[string]func(*Table, abi.Term, abi.Term) (abi.Term, Fault){
		"+": (*Table).Add, "-": (*Table).Sub, "*": (*Table).Mul, "/": (*Table).Div, "%": (*Table).Mod,
	}
	for _, c := range []struct {
		a, op, b, want string
		fault          Fault
	}{
		{"6EUR", "+", "2EUR", "8EUR", OK},
		{"6EUR", "-", "2EUR", "4EUR", OK},
		{"6EUR", "*", "2", "12EUR", OK},
		{"2", "*", "6EUR", "12EUR", OK},
		{"6EUR", "/", "2", "3EUR", OK},
		{"6EUR", "/", "2EUR", "3", OK},
		{"6EUR", "+", "2USD", "", Currencies},
		{"6EUR", "/", "2USD", "", Currencies},
		{"6EUR", "*", "2EUR", "", WrongKind},
		{"6EUR", "+", "2", "", Currencies},
		{"2", "-", "6EUR", "", Currencies},
		{"6EUR", "+", "0", "6EUR", OK},
		{"0", "+", "6EUR", "6EUR", OK},
		{"6EUR", "-", "0", "6EUR", OK},
		{"2", "/", "6EUR", "", WrongKind},
		{"6EUR", "%", "2", "", WrongKind},
		{"6EUR", "/", "0", "", DivideByZero},
		{"s", "+", "s", "ss", OK},
		{"s", "-", "s", "", WrongKind},
		{"s", "+", "1", "", WrongKind},
		{"day10", "+", "1d", "day11", OK},
		{"1d", "+", "day10", "day11", OK},
		{"day10", "-", "1d", "day9", OK},
		{"day10", "+", "12h", "day10", OK},
		{"day10", "-", "12h", "day9", OK},
		{"day11", "-", "day10", "1d", OK},
		{"day10", "-", "day11", "-1d", OK},
		{"noon10", "-", "day10", "12h", OK},
		{"start10", "+", "12h", "noon10", OK},
		{"noon10", "-", "12h", "start10", OK},
		{"day10", "+", "day11", "", WrongKind},
		{"1d", "-", "day10", "", WrongKind},
		{"1d", "+", "1d", "2d", OK},
		{"1d", "-", "2d", "-1d", OK},
		{"1d", "*", "2", "2d", OK},
		{"2", "*", "1d", "2d", OK},
		{"1d", "/", "2", "12h", OK},
		{"2d", "/", "1d", "2", OK},
		{"12h", "/", "1d", "1/2", OK},
		{"1d", "/", "0", "", DivideByZero},
		{"1d", "/", "0s", "", DivideByZero},
		{"true", "+", "1", "", WrongKind},
		{"1", "+", "none", "", WrongKind},
	} {
		table := New()
		v := examples(table)
		got, fault := ops[c.op](table, v[c.a], v[c.b])
		if fault != c.fault || fault == OK && got != v[c.want] {
			t.Errorf("%s %s %s = %v, fault %q; want %s, fault %q", c.a, c.op, c.b, table.Value(got), fault, c.want, c.fault)
		}
	}
	table := New()
	v := examples(table)
	if x, f := table.Neg(v["12h"]); f != OK || x != v["-12h"] {
		t.Errorf("-12h: %v, fault %v", table.Value(x), f)
	}
	if x, f := table.Abs(v["-12h"]); f != OK || x != v["12h"] {
		t.Errorf("abs(-12h): %v, fault %v", table.Value(x), f)
	}
	if _, f := table.Neg(v["s"]); f != WrongKind {
		t.Errorf("-\"s\": fault %v", f)
	}
}

func TestMomentsOutOfRangeAreFaults(t *testing.T) {
	table := New()
	far := table.Span(math.MaxInt64, 999_999_999)
	for _, c := range []struct {
		name string
		x    abi.Term
		f    Fault
	}{
		{"duration", 0, second(table.Add(far, far))},
		{"instant", 0, second(table.Add(table.Instant(1, 0), far))},
		{"scaled", 0, second(table.Mul(far, table.Int(2)))},
		{"days", 0, second(table.Days(table.Int(math.MaxInt64)))},
	} {
		if c.f != OutOfRange {
			t.Errorf("%s: fault %q", c.name, c.f)
		}
	}
}

func second(_ abi.Term, f Fault) Fault { return f }

func TestNumbersAreBounded(t *testing.T) {
	table := New()
	x := table.Rat(new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), MaxNumberBits-8)))
	if _, f := table.Mul(x, x); f != LargeNumber {
		t.Errorf("a product of two large numbers: fault %q", f)
	}
	if _, f := table.Mul(x, table.Int(2)); f != OK {
		t.Errorf("a product within the bound: fault %q", f)
	}
	text := table.String(string(make([]byte, MaxTextBytes)))
	if _, f := table.Add(text, table.String("x")); f != LargeText {
		t.Errorf("a text over the bound: fault %q", f)
	}
}

func TestRound(t *testing.T) {
	for _, c := range []struct {
		x      string
		digits int64
		mode   Rounding
		want   string
	}{
		{"5/2", 0, HalfAway, "3"}, {"-5/2", 0, HalfAway, "-3"}, {"5/2", 0, HalfEven, "2"}, {"7/2", 0, HalfEven, "4"},
		{"-5/2", 0, HalfEven, "-2"}, {"5/2", 0, TowardZero, "2"}, {"-5/2", 0, TowardZero, "-2"},
		{"12345/1000", 2, HalfAway, "1235/100"}, {"12345/1000", 2, HalfEven, "1234/100"}, {"1/3", 3, HalfEven, "333/1000"},
		{"1250", -2, HalfAway, "1300"}, {"1250", -2, HalfEven, "1200"}, {"1250", 2, HalfAway, "1250"}, {"2/3", 0, TowardZero, "0"},
		{"-2/3", 0, HalfAway, "-1"},
	} {
		table := New()
		in, _ := new(big.Rat).SetString(c.x)
		want, _ := new(big.Rat).SetString(c.want)
		eur := table.String("EUR")
		if got, f := table.Round(table.Rat(in), c.digits, c.mode); f != OK || got != table.Rat(want) {
			t.Errorf("Round(%s, %d, %d) = %v, fault %v; want %s", c.x, c.digits, c.mode, table.Value(got), f, c.want)
		}
		if got, f := table.Round(table.Money(table.Rat(in), eur), c.digits, c.mode); f != OK || got != table.Money(table.Rat(want), eur) {
			t.Errorf("Round of money %s: %v, fault %v", c.x, table.Value(got), f)
		}
	}
	table := New()
	if _, f := table.Round(table.Int(1), MaxDigits+1, HalfAway); f != OutOfRange {
		t.Errorf("too many digits: fault %v", f)
	}
	if _, f := table.Round(table.String("x"), 0, HalfAway); f != WrongKind {
		t.Errorf("a string: fault %v", f)
	}
}

func TestDaysOfDurationsAndDurationsOfDays(t *testing.T) {
	table := New()
	for _, c := range []struct{ in, want abi.Term }{
		{table.Int(3), table.Span(3*abi.SecondsPerDay, 0)},
		{table.Rat(big.NewRat(3, 2)), table.Span(129600, 0)},
		{table.Span(2*abi.SecondsPerDay, 0), table.Int(2)},
		{table.Span(abi.SecondsPerDay-1, 999_999_999), table.Int(0)},
		{table.Span(-abi.SecondsPerDay, 0), table.Int(-1)},
		{table.Span(-abi.SecondsPerDay, 1), table.Int(0)},
	} {
		if got, f := table.Days(c.in); f != OK || got != c.want {
			t.Errorf("days(%v) = %v, fault %v; want %v", table.Value(c.in), table.Value(got), f, table.Value(c.want))
		}
	}
}

func TestCivilIsTheProlepticGregorianCalendar(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(-2_000_000, 5_000_000).Draw(t, "day")
		y, m, d := Civil(n)
		wy, wm, wd := time.Unix(n*abi.SecondsPerDay, 0).UTC().Date()
		if int(y) != wy || m != int(wm) || d != wd {
			t.Fatalf("day %d is %d-%d-%d, want %d-%d-%d", n, y, m, d, wy, wm, wd)
		}
	})
	for _, n := range []int64{math.MinInt64, math.MaxInt64} {
		if _, m, d := Civil(n); m < 1 || m > 12 || d < 1 || d > 31 {
			t.Errorf("day %d has month %d, day %d", n, m, d)
		}
	}
}

func TestTextOfValues(t *testing.T) {
	wide, _ := new(big.Rat).SetString("123456789012345678901234567890/8")
	day := int64(22464) // 2031-07-04
	for _, c := range []struct {
		want string
		v    abi.Value
	}{
		{"3", abi.IntValue(3)}, {"-7", abi.IntValue(-7)}, {"12.5", abi.RatValue(big.NewRat(25, 2))},
		{"-0.001", abi.RatValue(big.NewRat(-1, 1000))}, {"1/3", abi.RatValue(big.NewRat(1, 3))}, {"0.0009765625", abi.RatValue(big.NewRat(1, 1024))},
		{"15432098626543209862654320986.25", abi.RatValue(wide)},
		{"12.50 EUR", abi.MoneyValue(big.NewRat(25, 2), "EUR")}, {"12 JPY", abi.MoneyValue(big.NewRat(12, 1), "JPY")},
		{"1.000 KWD", abi.MoneyValue(big.NewRat(1, 1), "KWD")}, {"0.125 EUR", abi.MoneyValue(big.NewRat(1, 8), "EUR")},
		{"25/3 EUR", abi.MoneyValue(big.NewRat(25, 3), "EUR")}, {"-3.00 USD", abi.MoneyValue(big.NewRat(-3, 1), "USD")},
		{"a \"b\"", abi.StringValue("a \"b\"")}, {"", abi.StringValue("")},
		{"ann", abi.NamedValue("m::sub::ann")}, {"ann", abi.NamedValue("ann")}, {"Red", abi.SymbolValue("m::Colour::Red")},
		{"#0d0e0f10", abi.MintedValue([16]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})},
		{"Ship", abi.TypeValue("m::Ship")}, {"true", abi.BoolValue(true)}, {"false", abi.BoolValue(false)}, {"none", abi.NoneValue()},
		{"2031-07-04", abi.DayValue(day)}, {"1969-12-31", abi.DayValue(-1)}, {"0000-02-29", abi.DayValue(-719468 - 1)},
		{"2031-07-04T10:00:00Z", abi.Value{Kind: abi.KindInstant, Int: day*abi.SecondsPerDay + 36000}},
		{"1969-12-31T23:59:59.5Z", abi.Value{Kind: abi.KindInstant, Int: -1, Nano: 500_000_000}},
		{"P3D", abi.Value{Kind: abi.KindSpan, Int: 3 * abi.SecondsPerDay}}, {"PT0S", abi.Value{Kind: abi.KindSpan}},
		{"P1DT1H1M1.25S", abi.Value{Kind: abi.KindSpan, Int: abi.SecondsPerDay + 3661, Nano: 250_000_000}},
		{"-PT0.5S", abi.Value{Kind: abi.KindSpan, Int: -1, Nano: 500_000_000}}, {"PT5M", abi.Value{Kind: abi.KindSpan, Int: 300}},
		{`[1, "s", [true]]`, list(abi.IntValue(1), abi.StringValue("s"), list(abi.BoolValue(true)))}, {"[]", list()},
		{"{1, 2}", abi.Value{Kind: abi.KindSet, Items: []abi.Value{abi.IntValue(2), abi.IntValue(1)}}},
		{"Some(1, 2)", abi.Value{Kind: abi.KindVariant, Str: "m::E::Some", Items: []abi.Value{abi.IntValue(1), abi.IntValue(2)}}},
		{"Point(1, 2)", abi.Value{Kind: abi.KindStruct, Str: "m::Point", Items: []abi.Value{abi.IntValue(1), abi.IntValue(2)}}},
		{`{1: "a", 2: "b"}`, abi.Value{Kind: abi.KindMap, Items: []abi.Value{abi.IntValue(2), abi.StringValue("b"), abi.IntValue(1), abi.StringValue("a")}}},
		{"1..4", abi.Value{Kind: abi.KindRange, Items: []abi.Value{abi.IntValue(1), abi.IntValue(4)}}},
	} {
		table := New()
		got, f := table.AppendText(nil, table.Intern(c.v))
		if f != OK || string(got) != c.want {
			t.Errorf("text of %v: %q, fault %v; want %q", c.v, got, f, c.want)
		}
	}
}

func list(items ...abi.Value) abi.Value { return abi.Value{Kind: abi.KindList, Items: items} }

func TestTextOfAValueThatRepeatsItselfIsBounded(t *testing.T) {
	table := New()
	x := table.String("x")
	for range 60 {
		x = table.List([]abi.Term{x, x})
	}
	if _, f := table.AppendText(nil, x); f != LargeText {
		t.Errorf("fault %v", f)
	}
}
