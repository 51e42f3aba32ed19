package main

import "fmt"

// What the plugin says of itself.
const (
	name    = "SKELETON"
	version = "0.1.0"
)

// decide gives one verdict for each row of q.Frame, in their order. This rule
// takes the last column for a text, and drops the rows whose digits add up to
// a multiple of ten.
func decide(q *Request) ([]Verdict, error) {
	var verdicts []Verdict
	for row := range q.Frame.Rows {
		text := q.Frame.Cell(row, q.Frame.Columns-1).Text
		if sum := digitSum(text); sum%10 == 0 {
			verdicts = append(verdicts, Verdict{Drop: true})
		} else {
			verdicts = append(verdicts, Verdict{Severity: Error, Code: "SUM", Message: fmt.Sprintf("the digits of %s add up to %d", text, sum)})
		}
	}
	return verdicts, nil
}

func digitSum(text string) int {
	sum := 0
	for _, c := range text {
		if c >= '0' && c <= '9' {
			sum += int(c - '0')
		}
	}
	return sum
}
