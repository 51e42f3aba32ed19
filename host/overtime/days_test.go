package overtime

import (
	"testing"

	"github.com/ox-mcp/ox-mcp/host/argon/lower"
)

func TestStretchesAreReadable(t *testing.T) {
	for want, s := range map[string]Days{
		"always": {-lower.Always, lower.Always}, "before 1970-01-11": {-lower.Always + 3, 10},
		"from 1970-01-01 on": {0, lower.Always - 7}, "on 1970-01-02": {1, 2}, "from 1970-01-02 to 1970-01-03": {1, 3},
	} {
		if got := s.Text(); got != want {
			t.Errorf("%v is %q, not %q", s, got, want)
		}
	}
}
