package term

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/abi/phrase"
)

// AppendText appends the display form of x to dst: numbers and money in their
// shortest exact form (money with at least its currency's digits), dates and
// durations as in ISO 8601, individuals by their short name, enum constants by
// their tag, a string as it is at the top and quoted inside other values. It
// does not recurse, and reports LargeText once dst has more than MaxTextBytes.
func (t *Table) AppendText(dst []byte, x abi.Term) ([]byte, Fault) {
	if t.Kind(x) == abi.KindString {
		return appendBounded(dst, t.Str(x))
	}
	type job struct {
		text string
		x    abi.Term // shown after text, unless it is Unbound
	}
	jobs := []job{{"", x}}
	for len(jobs) > 0 {
		j := jobs[len(jobs)-1]
		jobs = jobs[:len(jobs)-1]
		dst = append(dst, j.text...)
		if len(dst) > MaxTextBytes {
			return dst, LargeText
		}
		if j.x == Unbound {
			continue
		}
		kind := t.Kind(j.x)
		if !isComposite(kind) {
			var f Fault
			if dst, f = t.appendLeaf(dst, j.x, kind); f != OK {
				return dst, f
			}
			continue
		}
		open, shut := brackets(kind)
		if hasName(kind) {
			dst = append(dst, shortName(t.Str(j.x))...)
		}
		dst = append(dst, open...)
		items := t.Items(j.x)
		jobs = append(jobs, job{shut, Unbound})
		for i := len(items) - 1; i >= 0; i-- {
			jobs = append(jobs, job{separator(kind, i), items[i]})
		}
	}
	return dst, OK
}

func brackets(k abi.Kind) (open, shut string) {
	switch k {
	case abi.KindList:
		return "[", "]"
	case abi.KindSet, abi.KindMap:
		return "{", "}"
	case abi.KindRange:
		return "", ""
	}
	return "(", ")"
}

// separator is what stands before item i.
func separator(k abi.Kind, i int) string {
	switch {
	case i == 0:
		return ""
	case k == abi.KindRange:
		return ".."
	case k == abi.KindMap && i%2 == 1:
		return ": "
	}
	return ", "
}

func appendBounded(dst []byte, s string) ([]byte, Fault) {
	if len(dst)+len(s) > MaxTextBytes {
		return dst, LargeText
	}
	return append(dst, s...), OK
}

func (t *Table) appendLeaf(dst []byte, x abi.Term, kind abi.Kind) ([]byte, Fault) {
	switch kind {
	case abi.KindNum:
		return t.appendNumber(dst, x, 0)
	case abi.KindMoney:
		currency := t.Str(x)
		dst, f := t.appendNumber(dst, t.Amount(x), CurrencyDigits(currency))
		return append(append(dst, ' '), currency...), f
	case abi.KindString:
		s := t.Str(x)
		if len(dst)+len(s) > MaxTextBytes {
			return dst, LargeText
		}
		return strconv.AppendQuote(dst, s), OK
	case abi.KindNamed, abi.KindSymbol, abi.KindType, abi.KindPath:
		return appendBounded(dst, shortName(t.Str(x)))
	case abi.KindMinted:
		id := t.Str(x)
		return appendHex(append(dst, '#'), id[len(id)-min(4, len(id)):]), OK
	case abi.KindDay:
		n, _ := t.DayNumber(x)
		return appendDate(dst, n), OK
	case abi.KindInstant:
		s, n := t.seconds(x)
		return appendInstant(dst, s, n), OK
	case abi.KindSpan:
		return t.appendSpan(dst, x), OK
	case abi.KindTime:
		return t.appendTime(dst, x), OK
	case abi.KindBool:
		return strconv.AppendBool(dst, x == abi.True), OK
	}
	return append(dst, "none"...), OK
}

// shortName is what follows the last "::" of a qualified name.
func shortName(s string) string {
	if i := strings.LastIndex(s, "::"); i >= 0 && i+2 < len(s) {
		return s[i+2:]
	}
	return s
}

// CurrencyDigits returns how many digits after the point ISO 4217 gives a
// currency's amounts; 2 for a currency that it does not know.
func CurrencyDigits(currency string) int {
	switch currency {
	case "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND", "VUV", "XAF", "XOF", "XPF":
		return 0
	case "BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND":
		return 3
	case "CLF", "UYW":
		return 4
	}
	return 2
}

// appendNumber writes an exact decimal with at least digits digits after the
// point, or a fraction n/d if there is no finite decimal.
func (t *Table) appendNumber(dst []byte, x abi.Term, digits int) ([]byte, Fault) {
	n, d, b := t.number(x)
	if b == nil && d == 1 {
		dst = strconv.AppendInt(dst, n, 10)
		if digits > 0 {
			dst = append(append(dst, '.'), strings.Repeat("0", digits)...)
		}
		return dst, OK
	}
	if b == nil {
		b = ratOf(n, d)
	}
	places, exact := decimalPlaces(b.Denom())
	if !exact {
		return append(dst, b.String()...), OK
	}
	// A power of two in the denominator takes as many digits as bits, so an
	// exact decimal is never much longer than the number itself.
	return append(dst, b.FloatString(max(places, digits))...), OK
}

// decimalPlaces returns how many digits after the point a fraction of this
// denominator needs; exact is false if no number of digits is enough.
func decimalPlaces(d *big.Int) (places int, exact bool) {
	twos := int(d.TrailingZeroBits())
	rest := new(big.Int).Rsh(d, uint(twos))
	fives := 0
	five, q, r := big.NewInt(5), new(big.Int), new(big.Int)
	// Division by a growing power takes the fives out in a logarithmic number
	// of steps, however large the denominator is.
	powers := []*big.Int{five}
	for powers[len(powers)-1].BitLen()*2 <= rest.BitLen()+1 {
		p := powers[len(powers)-1]
		powers = append(powers, new(big.Int).Mul(p, p))
	}
	for i := len(powers) - 1; i >= 0; i-- {
		for {
			q.QuoRem(rest, powers[i], r)
			if r.Sign() != 0 {
				break
			}
			rest.Set(q)
			fives += 1 << i
		}
	}
	return max(twos, fives), rest.IsInt64() && rest.Int64() == 1
}

func appendHex(dst []byte, s string) []byte {
	const digits = "0123456789abcdef"
	for _, b := range []byte(s) {
		dst = append(dst, digits[b>>4], digits[b&15])
	}
	return dst
}

func appendDate(dst []byte, n int64) []byte {
	year, month, day := Civil(n)
	switch {
	case year < 0:
		dst = phrase.AppendPadded(append(dst, '-'), -year, 4)
	case year > 9999:
		dst = strconv.AppendInt(append(dst, '+'), year, 10)
	default:
		dst = phrase.AppendPadded(dst, year, 4)
	}
	dst = phrase.AppendPadded(append(dst, '-'), int64(month), 2)
	return phrase.AppendPadded(append(dst, '-'), int64(day), 2)
}

func appendInstant(dst []byte, s int64, nano int32) []byte {
	n := floorDiv(s, abi.SecondsPerDay)
	s -= n * abi.SecondsPerDay
	dst = appendDate(dst, n)
	return append(appendFraction(appendClock(append(dst, 'T'), s), nano), 'Z')
}

// appendClock writes the seconds of a day as hours, minutes and seconds.
func appendClock(dst []byte, s int64) []byte {
	dst = append(phrase.AppendPadded(dst, s/3600, 2), ':')
	dst = append(phrase.AppendPadded(dst, s/60%60, 2), ':')
	return phrase.AppendPadded(dst, s%60, 2)
}

// appendFraction writes nanoseconds as a decimal fraction of a second.
func appendFraction(dst []byte, nano int32) []byte {
	if nano == 0 {
		return dst
	}
	digits := strings.TrimRight(string(phrase.AppendPadded(nil, int64(nano), 9)), "0")
	return append(append(dst, '.'), digits...)
}

// appendSpan writes a duration with days as its largest unit: P3DT4H0.5S.
func (t *Table) appendSpan(dst []byte, x abi.Term) []byte {
	total := t.spanNanos(x)
	if total.Sign() < 0 {
		dst = append(dst, '-')
		total.Neg(total)
	}
	sec, nano := new(big.Int).QuoRem(total, big.NewInt(nanosPerSecond), new(big.Int))
	s := sec.Uint64()
	dst = append(dst, 'P')
	if d := s / abi.SecondsPerDay; d > 0 {
		dst = append(strconv.AppendUint(dst, d, 10), 'D')
	}
	clock := s % abi.SecondsPerDay
	if clock == 0 && nano.Sign() == 0 {
		if s == 0 {
			dst = append(dst, "T0S"...)
		}
		return dst
	}
	dst = append(dst, 'T')
	if h := clock / 3600; h > 0 {
		dst = append(strconv.AppendUint(dst, h, 10), 'H')
	}
	if m := clock / 60 % 60; m > 0 {
		dst = append(strconv.AppendUint(dst, m, 10), 'M')
	}
	if r := clock % 60; r > 0 || nano.Sign() > 0 {
		dst = strconv.AppendUint(dst, r, 10)
		dst = append(appendFraction(dst, int32(nano.Int64())), 'S')
	}
	return dst
}
