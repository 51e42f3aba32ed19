package main

import (
	"strings"
	"testing"
)

func TestNumbersAreJudged(t *testing.T) {
	lengths := map[string]int{"BE": 16, "DE": 22, "GB": 22, "NO": 15}
	for _, c := range []struct {
		number, code, message string // no code: it is dropped
	}{
		{"DE89370400440532013000", "", ""},
		{"DE89 3704 0044 0532 0130 00", "", ""},
		{"GB82 WEST 1234 5698 7654 32", "", ""},
		{"NO93 8601 1117 947", "", ""},
		{"BE68 5390 0754 7034", "", ""},
		{"DE88370400440532013000", codeDigits, "are 88, and 89 would fit"},
		{"DE89370400440532013001", codeDigits, "and 62 would fit"},
		{"DE89370400440532031000", codeDigits, "are 89"},
		{"DE8937040044053201300", codeLength, "has 21 characters, and those of DE have 22"},
		{"FR1420041010050500013M02606", codeCountry, "of FR"},
		{"de89370400440532013000", codeForm, "two letters"},
		{"DE8", codeForm, `"DE8"`},
		{"", codeForm, `""`},
		{"DEX9370400440532013000", codeForm, "two digits"},
		{"DE89 3704-0044", codeForm, "letters and digits"},
		{"DE89Ä704004405320130000", codeForm, "letters and digits"},
	} {
		t.Run(c.number, func(t *testing.T) {
			v := judge(Value{Kind: KindText, Text: c.number}, lengths)
			if v.Code != c.code || v.Drop != (c.code == "") || !strings.Contains(v.Message, c.message) {
				t.Errorf("%+v", v)
			}
		})
	}
	if v := judge(Value{Kind: KindNone}, lengths); v.Code != codeForm || v.Drop {
		t.Errorf("no number: %+v", v)
	}
}
