//go:build wasip1

package main

import (
	"fmt"
	"unsafe"
)

// The collector does not see the host's addresses. What the host was given,
// or has still to read, is held here.
var (
	given   = map[uint32][]byte{}
	answers = map[uint32]answer{}
)

// answer is a return area and the bytes that it points to.
type answer struct {
	area    *[3]uint32
	payload []byte
}

//go:wasmexport cabi_realloc
func realloc(old, oldSize, align, size uint32) uint32 {
	if size == 0 {
		delete(given, old)
		return align // an address that is not null, of no byte
	}
	b := make([]byte, size, (uint64(size)+7)&^7) // so that it is aligned to 8
	copy(b, given[old])
	delete(given, old)
	at := address(b)
	given[at] = b
	return at
}

//go:wasmexport ox:plugin/check-evaluator@0.1.0#describe
func describe() uint32 {
	b := description(name, version)
	return hold(answer{&[3]uint32{address(b), uint32(len(b))}, b})
}

//go:wasmexport cabi_post_ox:plugin/check-evaluator@0.1.0#describe
func postDescribe(area uint32) { delete(answers, area) }

//go:wasmexport ox:plugin/check-evaluator@0.1.0#evaluate
func evaluate(at, size uint32) uint32 {
	failed, payload := uint32(0), []byte(nil)
	verdicts, err := answerTo(take(at, size))
	if err != nil {
		failed, payload = 1, failure(err)
	} else {
		payload = response(verdicts)
	}
	return hold(answer{&[3]uint32{failed, address(payload), uint32(len(payload))}, payload})
}

//go:wasmexport cabi_post_ox:plugin/check-evaluator@0.1.0#evaluate
func postEvaluate(area uint32) { delete(answers, area) }

// answerTo turns a panic of the rule into an error: a trap would say less.
func answerTo(request []byte) (verdicts []Verdict, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the plugin panicked: %v", r)
		}
	}()
	q, err := parseRequest(request)
	if err != nil {
		return nil, badRequest{err}
	}
	verdicts, err = decide(q)
	if err == nil && len(verdicts) != q.Frame.Rows {
		err = fmt.Errorf("%d verdicts for %d rows", len(verdicts), q.Frame.Rows)
	}
	return verdicts, err
}

// take lifts bytes that the host wrote into memory from realloc.
func take(at, size uint32) []byte {
	b := given[at]
	delete(given, at)
	return b[:min(int(size), len(b))]
}

// hold keeps an answer until the host is done with it.
func hold(a answer) uint32 {
	at := uint32(uintptr(unsafe.Pointer(a.area)))
	answers[at] = a
	return at
}

func address(b []byte) uint32 {
	return uint32(uintptr(unsafe.Pointer(unsafe.SliceData(b))))
}
