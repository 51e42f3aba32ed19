package examples

import (
	"strings"
	"testing"
)

// A violation that comes with time stops no write but one that adds another.
func TestWritesAreJudgedByWhatTheyAdd(t *testing.T) {
	folder := fresh(t, "covenants")
	if out, status := run(t, folder, "build", "--now", "2026-11-30T12:00:00Z"); status != 0 {
		t.Fatalf("build ends with %d:\n%s", status, out)
	}
	later := []string{"--now", "2029-02-01T12:00:00Z"}
	if out, status := verb(t, "covenants", append([]string{"build"}, later...)...); status != 1 || !strings.Contains(out, "COV-4") {
		t.Errorf("a build in 2029 ends with %d:\n%s", status, out)
	}
	cases := []struct {
		args   []string
		status int
		prints string
	}{
		{[]string{"checks"}, 0, "Error COV-4 lending::past_its_end(loan_n)"},
		{[]string{"mutate", "waive", "--arg", "c=n_coverage", "--arg", "quarter=2026-09-30", "--arg", "reason=frost"}, 0, "mutate promises::waive: tt 2"},
		{[]string{"mutate", "draw", "--arg", "l=loan_p", "--arg", "amount=1000 EUR"}, 1, "refused COV-3"},
	}
	for _, c := range cases {
		out, status := run(t, folder, append(c.args, later...)...)
		if status != c.status || !strings.Contains(out, c.prints) {
			t.Errorf("%s ends with %d, expected %d and %q:\n%s", strings.Join(c.args, " "), status, c.status, c.prints, out)
		}
	}
}
