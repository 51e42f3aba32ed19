//go:build wasip1

// Command digits is a check evaluator for tests: a row is a violation if the
// digits of its last column, a text, do not add up to a multiple of ten. The
// check's code says what else it does: "short" makes it forget its verdicts,
// "panic" makes it panic, "plain" nothing, and any other is a relation whose
// first column exempts what it names.
package main

import (
	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/plugins/internal/guest"
)

func main() {}

//go:wasmexport ox:plugin/check-evaluator@0.1.0#describe
func describe() uint32 {
	d := abi.Description{ABI: abi.Version, World: abi.WorldEvaluator, Name: "digits", Version: "1"}
	return guest.Give(d.AppendCBOR(nil))
}

//go:wasmexport cabi_post_ox:plugin/check-evaluator@0.1.0#describe
func postDescribe(area uint32) { guest.Post(area) }

//go:wasmexport ox:plugin/check-evaluator@0.1.0#evaluate
func evaluate(ptr, size uint32) uint32 {
	return guest.Handle(ptr, size, guest.Typed[abi.EvaluateRequest, abi.EvaluateResponse](decide))
}

//go:wasmexport cabi_post_ox:plugin/check-evaluator@0.1.0#evaluate
func postEvaluate(area uint32) { guest.Post(area) }

func decide(q *abi.EvaluateRequest) (*abi.EvaluateResponse, *abi.Failure) {
	mode := ""
	if c := q.Payload.Code; c.Op == abi.ExprConst && c.Index < len(q.Constants) {
		mode = q.Constants[c.Index].Str
	}
	var exempt []abi.Value
	switch mode {
	case "short":
		return &abi.EvaluateResponse{}, nil
	case "panic":
		panic("on request")
	case "plain":
	default:
		failure := guest.ScanAll(abi.ScanRequest{Relation: mode, Page: abi.Page{Limit: 2}}, func(row []abi.Value) bool {
			exempt = append(exempt, row[0])
			return true
		})
		if failure != nil {
			return nil, failure
		}
	}
	out := new(abi.EvaluateResponse)
	for i := range q.Frame.Rows {
		row := q.Frame.Row(nil, i)
		v := abi.Verdict{Severity: abi.SeverityError, Code: "DIGITS", Message: row[len(row)-1].Str + " does not add up"}
		v.Drop = addsUp(row[len(row)-1].Str)
		for _, e := range exempt {
			v.Drop = v.Drop || abi.Equal(e, row[0])
		}
		out.Verdicts = append(out.Verdicts, v)
	}
	return out, nil
}

func addsUp(text string) bool {
	sum := 0
	for _, c := range text {
		if c >= '0' && c <= '9' {
			sum += int(c - '0')
		}
	}
	return sum%10 == 0
}
