// Package phrase writes the short messages of guests. Package fmt would do, but
// it brings 200 kB of code with it that each start of a guest pays for.
package phrase

import "strconv"

// Of writes format with its verbs replaced by args, in their order, as fmt
// does: %d is a number, %s a text, an error or whatever has a String method, %q
// a text in quotes. Any other letter behind % stands for itself. Numbers are of
// Go's own types: those of another name are converted by the caller. An
// argument that does not fit its verb, or is missing, is a question mark.
func Of(format string, args ...any) string {
	out := make([]byte, 0, len(format)+16*len(args))
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			out = append(out, format[i])
			continue
		}
		i++
		switch verb := format[i]; verb {
		case 'd', 's', 'q':
			var arg any
			if len(args) > 0 {
				arg, args = args[0], args[1:]
			}
			out = appendArg(out, verb, arg)
		default:
			out = append(out, verb)
		}
	}
	return string(out)
}

func appendArg(out []byte, verb byte, arg any) []byte {
	if verb == 'd' {
		return appendNumber(out, arg)
	}
	s, ok := Text(arg)
	switch {
	case !ok:
		return append(out, '?')
	case verb == 'q':
		return strconv.AppendQuote(out, s)
	}
	return append(out, s...)
}

func appendNumber(out []byte, arg any) []byte {
	switch n := arg.(type) {
	case int:
		return strconv.AppendInt(out, int64(n), 10)
	case int64:
		return strconv.AppendInt(out, n, 10)
	case uint32:
		return strconv.AppendUint(out, uint64(n), 10)
	case uint64:
		return strconv.AppendUint(out, n, 10)
	}
	return append(out, '?')
}

// Text is what arg says of itself, if it is a text, an error, or has a String
// method.
func Text(arg any) (string, bool) {
	switch x := arg.(type) {
	case string:
		return x, true
	case error:
		return x.Error(), true
	case interface{ String() string }:
		return x.String(), true
	}
	return "", false
}

// AppendPadded writes n, which is not negative, in decimal with at least width
// digits; width is 1 to 18.
func AppendPadded(dst []byte, n int64, width int) []byte {
	for least := pow10(width - 1); least > n && least > 1; least /= 10 {
		dst = append(dst, '0')
	}
	return strconv.AppendInt(dst, n, 10)
}

func pow10(n int) int64 {
	p := int64(1)
	for range n {
		p *= 10
	}
	return p
}
