//go:build wasip1

package guest

import (
	"unsafe"

	"github.com/ox-mcp/ox-mcp/abi"
)

// The host calls cabi_realloc before scan returns, so that this import must
// stay without go:noescape.
//
//go:wasmimport ox:plugin/facts@0.1.0 scan
func scan(request unsafe.Pointer, size uint32, area unsafe.Pointer)

// Scan asks for further tuples of a relation that the check's body names. A
// plugin that calls it imports ox:plugin/facts and needs the grant for it.
func Scan(request *abi.ScanRequest) (*abi.ScanResponse, *abi.Failure) {
	wire := request.AppendCBOR(nil)
	area := new([3]uint32)
	scan(unsafe.Pointer(unsafe.SliceData(wire)), uint32(len(wire)), unsafe.Pointer(area))
	answer, ok := wall.take(area[1], area[2])
	if !ok {
		return nil, Refuse(abi.FailureInternal, "the host's answer is not in memory that cabi_realloc gave")
	}
	if area[0]&0xff != 0 {
		failure := new(abi.Failure)
		if err := failure.DecodeCBOR(answer); err != nil {
			return nil, Refuse(abi.FailureInternal, "the host's failure does not decode: "+err.Error())
		}
		return nil, failure
	}
	response := new(abi.ScanResponse)
	if err := response.DecodeCBOR(answer); err != nil {
		return nil, Refuse(abi.FailureInternal, "the host's answer does not decode: "+err.Error())
	}
	return response, nil
}

// ScanAll calls Scan until there are no more pages, and visit with each row;
// the row is visit's to keep. visit returns false to stop.
func ScanAll(request abi.ScanRequest, visit func(row []abi.Value) bool) *abi.Failure {
	for {
		page, failure := Scan(&request)
		if failure != nil {
			return failure
		}
		for i := range page.Frame.Rows {
			if !visit(page.Frame.Row(nil, i)) {
				return nil
			}
		}
		if len(page.Next) == 0 {
			return nil
		}
		request.Page.After = page.Next
	}
}
