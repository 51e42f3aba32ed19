package phrase

import (
	"errors"
	"fmt"
	"math/big"
	"testing"
)

func TestPhrasesAreThoseOfFmt(t *testing.T) {
	for _, c := range []struct {
		format string
		args   []any
	}{
		{"plain", nil},
		{"", nil},
		{"%d of %d, %d, %d", []any{-3, int64(1) << 62, uint32(7), ^uint64(0)}},
		{"%s: %s %s", []any{"where", errors.New("why"), big.NewInt(5)}},
		{"builtin %q has %d", []any{"a\"b\n√", 2}},
		{"100%% of %s", []any{"all"}},
	} {
		if got, want := Of(c.format, c.args...), fmt.Sprintf(c.format, c.args...); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestWhatDoesNotFitIsAQuestionMark(t *testing.T) {
	for _, c := range []struct {
		format string
		args   []any
		want   string
	}{
		{"%d %s", nil, "? ?"},
		{"%d", []any{"text"}, "?"},
		{"%q", []any{3}, "?"},
		{"a %", nil, "a %"},
		{"%d", []any{1, 2}, "1"},
	} {
		if got := Of(c.format, c.args...); got != c.want {
			t.Errorf("%q gives %q, want %q", c.format, got, c.want)
		}
	}
}

func TestPaddedNumbersAreThoseOfFmt(t *testing.T) {
	for _, n := range []int64{0, 1, 9, 10, 11, 99, 100, 999_999_999, 1 << 62} {
		for width := 1; width <= 18; width++ {
			if got, want := string(AppendPadded(nil, n, width)), fmt.Sprintf("%0*d", width, n); got != want {
				t.Errorf("%d in %d digits is %q, want %q", n, width, got, want)
			}
		}
	}
}
