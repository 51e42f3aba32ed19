//go:build wasip1

package main

// What the plugin says of itself. Both builds of the example call themselves
// the same.
const (
	name    = "iban"
	version = "0.1.0"
)

// decide takes the last column of the check for the numbers, and reads which
// countries have them from the facts.
func decide(q *Request) ([]Verdict, error) {
	lengths := map[string]int{}
	err := scanAll("length_of", func(f *Frame, row int) {
		lengths[f.Cell(row, 0).Text] = int(f.Cell(row, 1).Int)
	})
	if err != nil {
		return nil, err
	}
	verdicts := make([]Verdict, q.Frame.Rows)
	for row := range verdicts {
		verdicts[row] = judge(q.Frame.Cell(row, q.Frame.Columns-1), lengths)
	}
	return verdicts, nil
}
