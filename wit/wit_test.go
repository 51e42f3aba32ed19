package wit

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
)

const (
	handle = "func(request: list<u8>) -> result<list<u8>, list<u8>>"
	give   = "func() -> list<u8>"
)

// interfaces reads the functions of the document: "interface@version#name" and
// the type of each.
func interfaces(t *testing.T, text string) map[string]string {
	t.Helper()
	pkg := regexp.MustCompile(`(?m)^package (ox:plugin)@([0-9.]+);$`).FindStringSubmatch(text)
	if pkg == nil {
		t.Fatal("no package line")
	}
	found := map[string]string{}
	for _, i := range regexp.MustCompile(`(?ms)^interface ([a-z-]+) \{\n(.*?)^\}`).FindAllStringSubmatch(text, -1) {
		for _, f := range regexp.MustCompile(`(?m)^    ([a-z-]+): (func\(.*);$`).FindAllStringSubmatch(i[2], -1) {
			found[pkg[1]+"/"+i[1]+"@"+pkg[2]+"#"+f[1]] = f[2]
		}
	}
	return found
}

func TestDocumentHasTheExportsOfTheABI(t *testing.T) {
	want := map[string]string{
		abi.ExportDescribe:          give,
		abi.ExportLoad:              handle,
		abi.ExportAssert:            handle,
		abi.ExportQuery:             handle,
		abi.ExportDerive:            handle,
		abi.ExportExplain:           handle,
		abi.ExportCompute:           handle,
		abi.ExportMutate:            handle,
		abi.ExportChecks:            handle,
		abi.ExportStats:             give,
		abi.ExportEvaluatorDescribe: give,
		abi.ExportEvaluate:          handle,
		abi.ImportLog + "#write":    "func(level: u8, message: list<u8>)",
		abi.ImportScan:              handle,
		abi.ImportKernelLoad:        "func(module: list<u8>) -> s32",
		abi.ImportKernelCall:        "func(kernel: u32, function: u32, values: u32, count: u32) -> s32",

		abi.ImportKernelIfGranted + "#load": "func(module: list<u8>) -> s32",
		abi.ImportKernelIfGranted + "#call": "func(kernel: u32, function: u32, values: u32, count: u32) -> s32",
	}
	got := interfaces(t, Text)
	for name, typ := range want {
		if got[name] != typ {
			t.Errorf("%s: the document says %q, the package abi %q", name, got[name], typ)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s is in the document and not in the package abi", name)
		}
	}
}

func TestWorldsExportTheirInterfaceAndImportWhatMayBeGranted(t *testing.T) {
	worlds := map[string]string{}
	for _, w := range regexp.MustCompile(`(?ms)^world ([a-z-]+) \{\n(.*?)^\}`).FindAllStringSubmatch(Text, -1) {
		worlds[w[1]] = strings.Join(strings.Fields(w[2]), " ")
	}
	// A world and an interface share their names in a package, so the world of
	// an interface has a suffix.
	for name, imports := range map[string]string{abi.WorldReasoner: "import log; import kernel; import kernel-if-granted;", abi.WorldEvaluator: "import log; import facts;"} {
		if got, want := worlds[name+"-plugin"], imports+" export "+name+";"; got != want {
			t.Errorf("world of %s: %q, want %q", name, got, want)
		}
	}
	if len(worlds) != 2 {
		t.Errorf("%d worlds, want 2", len(worlds))
	}
}

// Each message that the document names is a type of the package abi.
func TestCommentsNameMessagesOfTheABI(t *testing.T) {
	known := []string{
		"LoadRequest", "LoadResponse", "AssertRequest", "AssertResponse", "QueryRequest", "Rows", "DeriveRequest",
		"ExplainRequest", "Explanation", "ComputeRequest", "ComputeResponse", "MutateRequest", "MutateResponse",
		"ChecksRequest", "ChecksResponse", "EvaluateRequest", "EvaluateResponse", "ScanRequest", "ScanResponse",
	}
	// The conversion holds each name to a type that exists.
	_ = []any{
		abi.LoadRequest{}, abi.LoadResponse{}, abi.AssertRequest{}, abi.AssertResponse{}, abi.QueryRequest{}, abi.Rows{}, abi.DeriveRequest{},
		abi.ExplainRequest{}, abi.Explanation{}, abi.ComputeRequest{}, abi.ComputeResponse{}, abi.MutateRequest{}, abi.MutateResponse{},
		abi.ChecksRequest{}, abi.ChecksResponse{}, abi.EvaluateRequest{}, abi.EvaluateResponse{}, abi.ScanRequest{}, abi.ScanResponse{},
	}
	found := 0
	for _, m := range regexp.MustCompile(`/// (\w+) to (\w+)[.: ]`).FindAllStringSubmatch(Text, -1) {
		for _, name := range m[1:] {
			found++
			if !slices.Contains(known, name) {
				t.Errorf("the document names a message %s", name)
			}
		}
	}
	if found != 2*10 {
		t.Errorf("%d messages named, want 20", found)
	}
}
