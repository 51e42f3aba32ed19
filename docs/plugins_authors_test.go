package docs

import (
	"bytes"
	"encoding/hex"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
)

var hexBlock = regexp.MustCompile("(?s)```hex (\\w+)\n(.*?)```")

// The bytes that plugin authors are shown are messages of the contract.
func TestMessagesForPluginAuthorsAreMessages(t *testing.T) {
	page, err := os.ReadFile("plugins-authors.md")
	if err != nil {
		t.Fatal(err)
	}
	types := map[string]interface {
		AppendCBOR([]byte) []byte
		DecodeCBOR([]byte) error
	}{
		"Description": new(abi.Description), "EvaluateResponse": new(abi.EvaluateResponse), "Failure": new(abi.Failure),
		"Frame": new(abi.Frame), "ScanRequest": new(abi.ScanRequest),
	}
	shown := hexBlock.FindAllStringSubmatch(string(page), -1)
	if len(shown) != len(types) {
		t.Errorf("%d messages are shown, expected %d", len(shown), len(types))
	}
	for _, m := range shown {
		b, err := hex.DecodeString(strings.Join(strings.Fields(m[2]), ""))
		if err != nil {
			t.Fatal(err)
		}
		message := types[m[1]]
		if message == nil {
			t.Fatalf("no message is a %s", m[1])
		}
		if err := message.DecodeCBOR(b); err != nil || !bytes.Equal(message.AppendCBOR(nil), b) {
			t.Errorf("%s: %v", m[1], err)
		}
	}
	if d := types["Description"].(*abi.Description); d.ABI != abi.Version || d.World != abi.WorldEvaluator {
		t.Errorf("the description is %+v", d)
	}
	for _, name := range []string{abi.ExportEvaluatorDescribe, abi.ExportEvaluate, abi.ImportFacts, abi.ImportLog[:len(abi.ImportLog)-len("@"+abi.Version)]} {
		if !bytes.Contains(page, []byte(name)) {
			t.Errorf("the page does not name %s", name)
		}
	}
}

// The kinds of values are what the page says they are.
func TestKindsForPluginAuthors(t *testing.T) {
	page, err := os.ReadFile("plugins-authors.md")
	if err != nil {
		t.Fatal(err)
	}
	for kind, form := range map[abi.Kind]string{
		abi.KindNum: "[%, n]", abi.KindString: "[%, text]", abi.KindNamed: "[%, text]", abi.KindSymbol: "[%, text]", abi.KindType: "[%, text]",
		abi.KindMinted: "[%, 16 bytes]", abi.KindVariant: "[%, name, item…]", abi.KindStruct: "[%, name, item…]", abi.KindList: "[%, item…]",
		abi.KindSet: "[%, item…]", abi.KindMap: "[%, key, value, …]", abi.KindRange: "[%, from, to]", abi.KindInstant: "[%, seconds, nanoseconds]",
		abi.KindSpan: "[%, seconds, nanoseconds]", abi.KindMoney: "[%, currency, n]", abi.KindDay: "[%, days since 1970-01-01]",
		abi.KindBool: "[%, bool]", abi.KindNone: "[%]",
	} {
		want := "`" + strings.Replace(form, "%", strconv.Itoa(int(kind)), 1) + "`"
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("the page has no %s", want)
		}
	}
}
