package main

// scanRequest writes a ScanRequest for a page of any rows: [relation, match,
// [limit, after]].
func scanRequest(relation string, after [][]byte) []byte {
	var w writer
	w.array(3)
	w.text(relation)
	w.array(0)
	w.array(2)
	w.unsigned(0)
	w.array(len(after))
	for _, raw := range after {
		w.b = append(w.b, raw...)
	}
	return w.b
}

// parseScan reads a ScanResponse: [columns, frame, next]. next, if it is not
// empty, is where the next page begins.
func parseScan(b []byte) (f Frame, next [][]byte, err error) {
	r := &reader{b: b}
	r.fields(3)
	r.skip()
	f = r.frame()
	for range r.array() {
		next = append(next, r.skip())
	}
	return f, next, r.err
}

// failureMessage is the second field of a Failure.
func failureMessage(b []byte) string {
	r := &reader{b: b}
	r.fields(5)
	r.skip()
	return r.text()
}
