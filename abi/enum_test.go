package abi

import (
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"testing"
)

// A constant that joins an enumeration must be known to the codec: this fails
// until enumLast is told, and TestEveryFieldIsCoded until the codec is.
func TestEnumerationsEndWhereTheCodecThinks(t *testing.T) {
	constants := map[string]int{} // exported ones of each type
	for _, file := range []string{"type.go", "relation.go", "rule.go", "expression.go", "check.go", "statement.go", "test.go", "message.go"} {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			block, ok := d.(*ast.GenDecl)
			if !ok || block.Tok != token.CONST {
				continue
			}
			typ := ""
			for _, s := range block.Specs {
				spec := s.(*ast.ValueSpec)
				if id, ok := spec.Type.(*ast.Ident); ok {
					typ = id.Name
				}
				if typ != "" && spec.Names[0].IsExported() {
					constants[typ]++
				}
			}
		}
	}
	for typ, last := range enumLast {
		if n := constants[typ.Name()]; n != int(last)+1 {
			t.Errorf("%s has %d constants, the tests of the codec know %d", typ.Name(), n, last+1)
		}
		delete(constants, typ.Name())
	}
	for typ := range constants {
		t.Errorf("the tests of the codec do not know the enumeration %s", typ)
	}
}

func TestUnknownConstantsAreRefused(t *testing.T) {
	for typ, last := range enumLast {
		for _, m := range messages() {
			in := reflect.New(reflect.TypeOf(m).Elem())
			fill(in.Elem(), 0)
			if !setFirst(in.Elem(), typ, last+1) {
				continue
			}
			if err := m.DecodeCBOR(in.Interface().(message).AppendCBOR(nil)); err == nil {
				t.Errorf("%T: constant %d of %s is taken", m, last+1, typ.Name())
			}
		}
	}
}

// setFirst sets the first number of the given type below v.
func setFirst(v reflect.Value, typ reflect.Type, n uint8) bool {
	if v.Type() == typ {
		v.SetUint(uint64(n))
		return true
	}
	switch v.Kind() {
	case reflect.Pointer:
		return !v.IsNil() && setFirst(v.Elem(), typ, n)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[Value]() || v.Type() == reflect.TypeFor[Frame]() {
			return false
		}
		for i := range v.NumField() {
			if setFirst(v.Field(i), typ, n) {
				return true
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			if setFirst(v.Index(i), typ, n) {
				return true
			}
		}
	}
	return false
}
