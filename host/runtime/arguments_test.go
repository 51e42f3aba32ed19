package runtime

import (
	"encoding/json"
	"errors"
	"math/big"
	"testing"

	"github.com/ox-mcp/ox-mcp/abi"
)

func testModule() *module {
	return &module{
		program: &abi.Program{Types: []abi.TypeDef{
			{Name: "root::Tide", Op: abi.TypeEnum, Variants: []abi.VariantDef{
				{Name: "root::Tide::High"},
				{Name: "root::Tide::Neap", Fields: []abi.FieldDef{{Name: "0", Type: abi.Type{Op: abi.TypeInt}}}},
			}},
			{Name: "root::Berth", Op: abi.TypeStruct, Fields: []abi.FieldDef{
				{Name: "code", Type: abi.Type{Op: abi.TypeString}}, {Name: "depth", Type: abi.Type{Op: abi.TypeDecimal}},
			}},
			{Name: "root::Ship", Op: abi.TypeConcept},
		}},
		types:    map[string]int{"root::Tide": 0, "root::Berth": 1, "root::Ship": 2},
		declared: map[string]string{"aurora": "root::aurora", "root::aurora": "root::aurora"},
		short:    map[string][]int{},
	}
}

func typ(op abi.TypeOp, args ...abi.Type) abi.Type { return abi.Type{Op: op, Args: args} }

func TestArgumentsInTheLiteralFormOfTheirType(t *testing.T) {
	big1, _ := new(big.Int).SetString("9007199254740993", 10)
	huge, _ := new(big.Int).SetString("123456789012345678901234567890", 10)
	for _, c := range []struct {
		raw  string
		typ  abi.Type
		want abi.Value
	}{
		{`3`, typ(abi.TypeInt), abi.IntValue(3)},
		{`"3"`, typ(abi.TypeInt), abi.IntValue(3)},
		{`9007199254740993`, typ(abi.TypeInt), abi.RatValue(new(big.Rat).SetInt(big1))},
		{`123456789012345678901234567890`, typ(abi.TypeInt), abi.RatValue(new(big.Rat).SetInt(huge))},
		{`"12.50"`, typ(abi.TypeDecimal), abi.RatValue(big.NewRat(25, 2))},
		{`12.50`, typ(abi.TypeDecimal), abi.RatValue(big.NewRat(25, 2))},
		{`"1/3"`, typ(abi.TypeReal), abi.RatValue(big.NewRat(1, 3))},
		{`"12.50 EUR"`, typ(abi.TypeMoney), abi.MoneyValue(big.NewRat(25, 2), "EUR")},
		{`true`, typ(abi.TypeBool), abi.BoolValue(true)},
		{`"true"`, typ(abi.TypeBool), abi.BoolValue(true)},
		{`"5"`, typ(abi.TypeString), abi.StringValue("5")},
		{`"1970-01-02"`, typ(abi.TypeDate), abi.DayValue(1)},
		{`"#1970-01-02#"`, typ(abi.TypeDate), abi.DayValue(1)},
		{`"1970-01-01T00:00:01Z"`, typ(abi.TypeDateTime), abi.Value{Kind: abi.KindInstant, Int: 1}},
		{`"P1DT1S"`, typ(abi.TypeDuration), abi.Value{Kind: abi.KindSpan, Int: 86401}},
		{`null`, typ(abi.TypeOption, typ(abi.TypeInt)), abi.NoneValue()},
		{`7`, typ(abi.TypeOption, typ(abi.TypeInt)), abi.IntValue(7)},
		{`"aurora"`, abi.Type{Op: abi.TypeConcept, Name: "root::Ship"}, abi.NamedValue("root::aurora")},
		{`{"id":"root::aurora","name":"aurora"}`, abi.Type{Op: abi.TypeConcept, Name: "root::Ship"}, abi.NamedValue("root::aurora")},
		{`"nobody"`, abi.Type{Op: abi.TypeConcept, Name: "root::Ship"}, abi.NamedValue("nobody")},
		{`"01890000-0000-7000-8000-000000000001"`, abi.Type{Op: abi.TypeConcept, Name: "root::Ship"},
			abi.MintedValue([16]byte{1, 0x89, 0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, 1})},
		{`{"tag":"High"}`, abi.Type{Op: abi.TypeEnum, Name: "root::Tide"}, abi.SymbolValue("root::Tide::High")},
		{`"Tide::High"`, abi.Type{Op: abi.TypeEnum, Name: "root::Tide"}, abi.SymbolValue("root::Tide::High")},
		{`{"tag":"Neap","args":[4]}`, abi.Type{Op: abi.TypeEnum, Name: "root::Tide"},
			abi.Value{Kind: abi.KindVariant, Str: "root::Tide::Neap", Items: []abi.Value{abi.IntValue(4)}}},
		{`{"depth":"9.5","code":"B2"}`, abi.Type{Op: abi.TypeStruct, Name: "root::Berth"},
			abi.Value{Kind: abi.KindStruct, Str: "root::Berth", Items: []abi.Value{abi.StringValue("B2"), abi.RatValue(big.NewRat(19, 2))}}},
		{`[2,1,2]`, typ(abi.TypeSet, typ(abi.TypeInt)), abi.Value{Kind: abi.KindSet, Items: []abi.Value{abi.IntValue(1), abi.IntValue(2)}}},
		{`"root::Ship"`, typ(abi.TypeRef), abi.TypeValue("root::Ship")},
	} {
		got, err := decodeValue(json.RawMessage(c.raw), c.typ, "args.x", testModule())
		if err != nil || !abi.Equal(got, c.want) {
			t.Errorf("%s as %s: %+v, %v; want %+v", c.raw, typeText(c.typ), got, err, c.want)
		}
	}
}

func TestArgumentsThatDoNotFitNameTheirPath(t *testing.T) {
	for _, c := range []struct {
		raw  string
		typ  abi.Type
		path string
		near string
	}{
		{`"x"`, typ(abi.TypeInt), "args.x", ""},
		{`-1`, typ(abi.TypeNat), "args.x", ""},
		{`1e9`, typ(abi.TypeInt), "args.x", ""},
		{`1e999999999`, typ(abi.TypeDecimal), "args.x", ""},
		{`3`, typ(abi.TypeString), "args.x", ""},
		{`"2031-02-30"`, typ(abi.TypeDate), "args.x", ""},
		{`20310704`, typ(abi.TypeDate), "args.x", ""},
		{`[1,"b"]`, typ(abi.TypeList, typ(abi.TypeInt)), "args.x[1]", ""},
		{`"Hihg"`, abi.Type{Op: abi.TypeEnum, Name: "root::Tide"}, "args.x", "High"},
		{`{"tag":"Neap"}`, abi.Type{Op: abi.TypeEnum, Name: "root::Tide"}, "args.x", ""},
		{`{"code":"B2","deptj":1,"depth":1}`, abi.Type{Op: abi.TypeStruct, Name: "root::Berth"}, "args.x.deptj", "depth"},
		{`{"code":"B2"}`, abi.Type{Op: abi.TypeStruct, Name: "root::Berth"}, "args.x.depth", ""},
		{`"Shpi"`, typ(abi.TypeRef), "args.x", "Ship"},
		{`1 2`, typ(abi.TypeInt), "args.x", ""},
		{``, typ(abi.TypeInt), "args.x", ""},
	} {
		v, err := decodeValue(json.RawMessage(c.raw), c.typ, "args.x", testModule())
		var invalid *InvalidArguments
		if !errors.As(err, &invalid) {
			t.Errorf("%s as %s: %+v, %v; want INVALID_ARGUMENTS", c.raw, typeText(c.typ), v, err)
			continue
		}
		p := invalid.Problems[0]
		if p.Path != c.path || c.near != "" && p.Nearest != c.near {
			t.Errorf("%s as %s: problem %+v, want path %s, nearest %q", c.raw, typeText(c.typ), p, c.path, c.near)
		}
	}
}

func TestValuesPrintInLiteralForm(t *testing.T) {
	n := &names{m: testModule(), minted: map[[16]byte]string{{1}: "Aurora"}, concepts: map[[16]byte]string{{2}: "Ship"}}
	for _, c := range []struct {
		v    abi.Value
		typ  abi.Type
		text string
		json string
	}{
		{abi.IntValue(3), typ(abi.TypeInt), "3", `3`},
		{abi.IntValue(3), typ(abi.TypeDecimal), "3", `"3"`},
		{abi.IntValue(1<<53 + 1), typ(abi.TypeInt), "9007199254740993", `"9007199254740993"`},
		{abi.RatValue(big.NewRat(1, 3)), typ(abi.TypeReal), "1/3", `"1/3"`},
		{abi.RatValue(big.NewRat(1, 8)), typ(abi.TypeReal), "0.125", `"0.125"`},
		{abi.MoneyValue(big.NewRat(25, 2), "EUR"), typ(abi.TypeMoney), "12.50 EUR", `"12.50 EUR"`},
		{abi.StringValue("a<b"), typ(abi.TypeString), "a<b", `"a<b"`},
		{abi.NamedValue("root::aurora"), abi.Type{}, "aurora", `{"id":"root::aurora","name":"aurora"}`},
		{abi.MintedValue([16]byte{1}), abi.Type{}, "Aurora", `{"id":"01000000-0000-0000-0000-000000000000","name":"Aurora"}`},
		{abi.MintedValue([16]byte{2}), abi.Type{}, "Ship#000000", `{"id":"02000000-0000-0000-0000-000000000000"}`},
		{abi.SymbolValue("root::Tide::High"), abi.Type{}, "High", `{"tag":"High"}`},
		{abi.NoneValue(), typ(abi.TypeOption, typ(abi.TypeInt)), "none", `null`},
		{abi.DayValue(-1), typ(abi.TypeDate), "1969-12-31", `"1969-12-31"`},
		{abi.Value{Kind: abi.KindSpan, Int: 90061}, typ(abi.TypeDuration), "P1DT1H1M1S", `"P1DT1H1M1S"`},
		{abi.Value{Kind: abi.KindSpan, Int: -1, Nano: 500_000_000}, typ(abi.TypeDuration), "-PT0.5S", `"-PT0.5S"`},
	} {
		got := cell(c.v, c.typ, n)
		b, err := EncodeJSON(got)
		if got.Text != c.text || string(b) != c.json || err != nil {
			t.Errorf("%+v: %q %s (%v), want %q %s", c.v, got.Text, b, err, c.text, c.json)
		}
	}
}
