package governor

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
)

func ceiling() abi.Limits {
	var l abi.Limits
	for i, f := range fields() {
		*f.of(&l) = uint64(100 + i)
	}
	return l
}

func TestFieldsCoverEveryLimit(t *testing.T) {
	l := ceiling()
	v := reflect.ValueOf(l)
	for i := range v.NumField() {
		if v.Field(i).Uint() == 0 {
			t.Errorf("%s is no field of the governor: Narrow ignores it", v.Type().Field(i).Name)
		}
	}
	if len(fields()) != v.NumField() {
		t.Errorf("%d fields for %d limits", len(fields()), v.NumField())
	}
}

func TestNarrow(t *testing.T) {
	for _, f := range fields() {
		most := *f.of(new(ceiling()))
		for _, c := range []struct {
			what    string
			wish    uint64
			want    uint64
			lowered bool
		}{
			{"no wish", 0, most, false},
			{"below the ceiling", most - 1, most - 1, false},
			{"at the ceiling", most, most, false},
			{"above the ceiling", most + 1, most, true},
		} {
			var wish abi.Limits
			*f.of(&wish) = c.wish
			effective, lowered := Narrow(ceiling(), wish)
			want := ceiling()
			*f.of(&want) = c.want
			if effective != want {
				t.Errorf("%s %s: %+v, want %+v", f.name, c.what, effective, want)
			}
			if got := slices.Equal(lowered, []string{f.name}); got != c.lowered || (!got && len(lowered) > 0) {
				t.Errorf("%s %s: lowered %v", f.name, c.what, lowered)
			}
		}
	}
}

type fakeTrap struct {
	b  abi.Breach
	ok bool
}

func (f fakeTrap) Error() string              { return "stopped" }
func (f fakeTrap) Breach() (abi.Breach, bool) { return f.b, f.ok }

func TestFromError(t *testing.T) {
	b := abi.Breach{Limit: abi.LimitRounds, Allowed: 3, Used: 4}
	payload := &LimitExceeded{Limit: "rounds", Allowed: 3, Used: 4, Remedy: Remedy(abi.LimitRounds)}
	for _, c := range []struct {
		what string
		err  error
		want *LimitExceeded
	}{
		{"guest's breach", &abi.Failure{Code: abi.FailureLimit, Limit: &b}, payload},
		{"wrapped breach", fmt.Errorf("query: %w", &abi.Failure{Code: abi.FailureLimit, Limit: &b}), payload},
		{"trap by a limit", fakeTrap{b, true}, payload},
		{"trap without a limit", fakeTrap{}, nil},
		{"failure of an expression", &abi.Failure{Code: abi.FailureEval}, nil},
		{"limit failure without figures", &abi.Failure{Code: abi.FailureLimit}, nil},
		{"other error", errors.New("x"), nil},
		{"no error", nil, nil},
	} {
		if got := FromError(c.err); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", c.what, got, c.want)
		}
	}
}

func TestEveryLimitHasItsOwnRemedy(t *testing.T) {
	seen := map[string]string{Remedy("no such limit"): "the default"}
	for _, f := range fields() {
		r := Remedy(f.name)
		if other, ok := seen[r]; ok {
			t.Errorf("the remedy of %s is that of %s", f.name, other)
		}
		seen[r] = f.name
	}
}

func TestPayloadKeys(t *testing.T) {
	b, err := json.Marshal(LimitExceeded{Limit: "fuel", Allowed: 1, Used: 2, Remedy: "r"})
	if want := `{"limit":"fuel","allowed":1,"used":2,"remedy":"r"}`; err != nil || string(b) != want {
		t.Errorf("%s, %v; want %s", b, err, want)
	}
}
