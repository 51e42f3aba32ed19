package runtime

import "fmt"

// point is where in the two times a step reads, or nil for now: as_of is a
// stamp or a date, valid_at a date or date-time, as the flags of the same names
// have it.
func (st *scenarioStep) point() (*AsOf, error) {
	if st.AsOf == nil && st.ValidAt == nil {
		return nil, nil
	}
	at := &AsOf{}
	if st.ValidAt != nil {
		at.VT = fmt.Sprint(plain(st.ValidAt))
	}
	switch v := st.AsOf.(type) {
	case nil:
	case int64:
		at.TT = &v
	default:
		if st.ValidAt != nil {
			return nil, fmt.Errorf("as_of is %v; beside valid_at it is a stamp", plain(v))
		}
		at.VT = fmt.Sprint(plain(v))
	}
	return at, nil
}
