package abi

import (
	"reflect"
	"testing"
)

// Fields that came later are sent to those alone who need them, and a message has
// one encoding.
func TestLaterFieldsOfASearch(t *testing.T) {
	for _, c := range []struct {
		search RepairSearch
		fields byte
	}{
		{RepairSearch{MaxSize: 2}, 3},
		{RepairSearch{MaxSize: 2, Removals: true}, 4},
		{RepairSearch{MaxSize: 2, Tried: 7}, 5},
		{RepairSearch{MaxSize: 2, Removals: true, Tried: 7}, 5},
		{RepairSearch{Limit: &Breach{Limit: LimitDerived, Allowed: 7, Used: 8}}, 6},
	} {
		in := Explanation{Repairs: &c.search}
		wire := in.AppendCBOR(nil)
		var out Explanation
		if err := out.DecodeCBOR(wire); err != nil || !reflect.DeepEqual(out.Repairs, in.Repairs) {
			t.Errorf("%+v came back as %+v: %v", c.search, out.Repairs, err)
		}
		// Of the message the search is the last field.
		at := len(wire) - 1
		for ; at >= 0 && wire[at] != 0x80|c.fields; at-- {
		}
		if at < 0 {
			t.Errorf("%+v is not sent in %d fields: %x", c.search, c.fields, wire)
		}
	}
	for name, later := range map[string][]byte{
		"removals":          {0xf4},
		"tried":             {0xf5, 0x00},
		"removals or tried": {0xf4, 0x00},
		"three":             {0xf5, 0x07, 0x00},
	} {
		whole := (&Explanation{Repairs: &RepairSearch{MaxSize: 2}}).AppendCBOR(nil)
		at := len(whole) - 1
		for ; whole[at] != 0x83; at-- {
		}
		whole[at] += byte(len(later))
		if err := new(Explanation).DecodeCBOR(append(whole, later...)); err == nil {
			t.Errorf("a search whose later fields say nothing of %s is taken", name)
		}
	}
}
