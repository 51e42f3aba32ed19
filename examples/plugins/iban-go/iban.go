package main

import (
	"fmt"
	"strings"
)

// The codes of the verdicts.
const (
	codeForm    = "IBAN-FORM"
	codeCountry = "IBAN-COUNTRY"
	codeLength  = "IBAN-LENGTH"
	codeDigits  = "IBAN-DIGITS"
)

// modulus is that of ISO 7064 MOD 97-10, by which ISO 13616 checks a number.
const modulus = 97

// judge says what is wrong with an account number. lengths has the characters
// of a number by country.
func judge(v Value, lengths map[string]int) Verdict {
	if v.Kind != KindText {
		return Verdict{Severity: Error, Code: codeForm, Message: "there is no number"}
	}
	number := strings.ReplaceAll(v.Text, " ", "")
	if !wellFormed(number) {
		return Verdict{Severity: Error, Code: codeForm, Message: `"` + number + `" is not two letters, two digits, and letters and digits behind them`}
	}
	length, known := lengths[number[:2]]
	switch {
	case !known:
		return Verdict{Severity: Warning, Code: codeCountry, Message: fmt.Sprintf("no scheme says how the numbers of %s are made", number[:2])}
	case len(number) != length:
		return Verdict{Severity: Error, Code: codeLength, Message: fmt.Sprintf("%s has %d characters, and those of %s have %d", number, len(number), number[:2], length)}
	}
	// Zeros stand for the check digits while they are computed.
	want := modulus + 1 - remainder(number[4:]+number[:2]+"00")
	if have := int(number[2]-'0')*10 + int(number[3]-'0'); have != want {
		return Verdict{Severity: Error, Code: codeDigits, Message: fmt.Sprintf("%s does not add up: its check digits are %02d, and %02d would fit", number, have, want)}
	}
	return Verdict{Drop: true}
}

func wellFormed(number string) bool {
	if len(number) < 5 {
		return false
	}
	for i, c := range []byte(number) {
		letter, digit := c >= 'A' && c <= 'Z', c >= '0' && c <= '9'
		if i < 2 && !letter || (i == 2 || i == 3) && !digit || !letter && !digit {
			return false
		}
	}
	return true
}

// remainder reads letters as the numbers from 10 to 35.
func remainder(number string) int {
	rest := 0
	for _, c := range []byte(number) {
		if c >= 'A' {
			rest = (rest*100 + int(c-'A') + 10) % modulus
		} else {
			rest = (rest*10 + int(c-'0')) % modulus
		}
	}
	return rest
}
