package abi

import (
	"math/big"
	"reflect"
	"slices"

	"pgregory.net/rapid"
)

// enumLast is the last constant of each enumeration.
var enumLast = map[reflect.Type]uint8{
	reflect.TypeFor[TypeOp]():       uint8(typeOpCount - 1),
	reflect.TypeFor[Role]():         uint8(Derived),
	reflect.TypeFor[Origin]():       uint8(OriginAux),
	reflect.TypeFor[ArgOp]():        uint8(ArgConst),
	reflect.TypeFor[AtomOp]():       uint8(atomOpCount - 1),
	reflect.TypeFor[CmpOp]():        uint8(CmpGe),
	reflect.TypeFor[FoldOp]():       uint8(FoldList),
	reflect.TypeFor[PatternOp]():    uint8(PatSome),
	reflect.TypeFor[ExprOp]():       uint8(exprOpCount - 1),
	reflect.TypeFor[SubOp]():        uint8(SubFold),
	reflect.TypeFor[Severity]():     uint8(SeverityHint),
	reflect.TypeFor[StmtOp]():       uint8(stmtOpCount - 1),
	reflect.TypeFor[AssignOp]():     uint8(AssignDefault),
	reflect.TypeFor[TestOp]():       uint8(TestRejects),
	reflect.TypeFor[ProofKind]():    uint8(proofKindCount - 1),
	reflect.TypeFor[WhyNotReason](): uint8(whyNotReasonCount - 1),
	reflect.TypeFor[AtomState]():    uint8(atomStateCount - 1),
}

// generate makes a message of the given type, at random.
func generate(t *rapid.T, typ reflect.Type) message {
	v := reflect.New(typ)
	budget := 60
	draw(t, v.Elem(), 0, &budget)
	return v.Interface().(message)
}

// draw sets v at random. The budget of composite items keeps messages small.
func draw(t *rapid.T, v reflect.Value, depth int, budget *int) {
	switch p := v.Addr().Interface().(type) {
	case *Value:
		*p = genValue(t, 0)
		return
	case *Frame:
		*p = genFrame(t)
		return
	}
	if last, ok := enumLast[v.Type()]; ok {
		v.SetUint(uint64(rapid.Uint8Range(0, last).Draw(t, v.Type().Name())))
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "bool"))
	case reflect.Int, reflect.Int64:
		v.SetInt(rapid.Int64().Draw(t, "int"))
	case reflect.Uint32:
		v.SetUint(uint64(rapid.Uint32().Draw(t, "uint32")))
	case reflect.Uint64:
		v.SetUint(rapid.Uint64().Draw(t, "uint64"))
	case reflect.String:
		v.SetString(rapid.StringN(0, 8, -1).Draw(t, "string"))
	case reflect.Array:
		reflect.Copy(v, reflect.ValueOf(rapid.SliceOfN(rapid.Byte(), v.Len(), v.Len()).Draw(t, "bytes")))
	case reflect.Struct:
		for i := range v.NumField() {
			draw(t, v.Field(i), depth+1, budget)
		}
	case reflect.Pointer:
		if more(t, depth, budget) {
			v.Set(reflect.New(v.Type().Elem()))
			draw(t, v.Elem(), depth+1, budget)
		}
	case reflect.Slice:
		for more(t, depth, budget) {
			item := reflect.New(v.Type().Elem()).Elem()
			draw(t, item, depth+1, budget)
			v.Set(reflect.Append(v, item))
		}
	default:
		panic("no generator for " + v.Type().String())
	}
}

func more(t *rapid.T, depth int, budget *int) bool {
	if depth > 24 || *budget <= 0 || !rapid.Bool().Draw(t, "more") {
		return false
	}
	*budget--
	return true
}

func genValue(t *rapid.T, depth int) Value {
	kinds := []Kind{
		KindNum, KindString, KindNamed, KindMinted, KindSymbol, KindType, KindInstant, KindSpan, KindMoney,
		KindDay, KindBool, KindNone, KindTime, KindVariant, KindStruct, KindList, KindSet, KindMap, KindRange,
	}
	if depth > 2 {
		kinds = kinds[:12]
	}
	v := Value{Kind: rapid.SampledFrom(kinds).Draw(t, "kind")}
	text := func() string { return rapid.StringN(0, 6, -1).Draw(t, "text") }
	items := func(n int) (out []Value) {
		for range n {
			out = append(out, genValue(t, depth+1))
		}
		return out
	}
	count := func() int { return rapid.IntRange(0, 3).Draw(t, "items") }
	switch v.Kind {
	case KindNum:
		if rapid.Bool().Draw(t, "small") {
			return IntValue(rapid.Int64().Draw(t, "n"))
		}
		return RatValue(genRat(t))
	case KindMoney:
		return MoneyValue(genRat(t), rapid.SampledFrom([]string{"EUR", "USD"}).Draw(t, "currency"))
	case KindString, KindNamed, KindSymbol, KindType:
		v.Str = text()
	case KindMinted:
		copy(v.ID[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "id"))
	case KindInstant, KindSpan:
		v.Int = rapid.Int64().Draw(t, "seconds")
		v.Nano = rapid.Int32Range(0, 999_999_999).Draw(t, "nano")
	case KindTime:
		v.Int = rapid.Int64Range(0, SecondsPerDay-1).Draw(t, "seconds")
		v.Nano = rapid.Int32Range(0, 999_999_999).Draw(t, "nano")
	case KindDay:
		v.Int = rapid.Int64().Draw(t, "day")
	case KindBool:
		return BoolValue(rapid.Bool().Draw(t, "bool"))
	case KindVariant, KindStruct:
		v.Str = text()
		v.Items = items(count())
	case KindList:
		v.Items = items(count())
	case KindRange:
		v.Items = items(2)
	case KindSet:
		v.Items = slices.CompactFunc(sorted(items(count())), Equal)
	case KindMap:
		for _, key := range slices.CompactFunc(sorted(items(count())), Equal) {
			v.Items = append(v.Items, key, genValue(t, depth+1))
		}
	}
	return v
}

func sorted(vs []Value) []Value {
	slices.SortFunc(vs, Compare)
	return vs
}

func genFrame(t *rapid.T) Frame {
	b := FrameBuilder{Arity: rapid.IntRange(0, 3).Draw(t, "arity")}
	rows := rapid.IntRange(0, 4).Draw(t, "rows")
	if b.Arity == 0 {
		rows = min(rows, 1)
	}
	truth := rapid.Bool().Draw(t, "truth")
	var truths []Truth4
	for range rows {
		row := make([]Value, b.Arity)
		for i := range row {
			row[i] = genValue(t, 0)
		}
		b.Add(row)
		truths = append(truths, Truth4(rapid.Uint8Range(0, 3).Draw(t, "truth")))
	}
	f := b.Frame()
	if truth {
		f.Truth = truths
	}
	return f
}

// fill sets everything below v to something that is not zero.
func fill(v reflect.Value, depth int) {
	switch p := v.Addr().Interface().(type) {
	case *Value:
		*p = RatValue(big.NewRat(-7, 3))
		return
	case *Frame:
		b := FrameBuilder{Arity: 2}
		b.Add([]Value{IntValue(1), StringValue("one")})
		b.Add([]Value{NoneValue(), StringValue("one")})
		*p = b.Frame()
		p.Truth = []Truth4{Is, Both}
		return
	}
	if last, ok := enumLast[v.Type()]; ok {
		v.SetUint(uint64(last))
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(-1000 - int64(depth))
	case reflect.Uint32, reflect.Uint64:
		v.SetUint(100_000 + uint64(depth))
	case reflect.String:
		v.SetString("text")
	case reflect.Array:
		for i := range v.Len() {
			v.Index(i).SetUint(uint64(i + 1))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), depth+1)
		}
	case reflect.Pointer:
		if depth < 9 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), depth+1)
		}
	case reflect.Slice:
		if depth < 9 {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			fill(v.Index(0), depth+1)
		}
	default:
		panic("cannot fill " + v.Type().String())
	}
}

// same is reflect.DeepEqual, but for big numbers, which may differ in how they
// are stored, and for a slice that is empty where the other is nil.
func same(a, b reflect.Value) bool {
	if v, ok := a.Interface().(Value); ok {
		w := b.Interface().(Value)
		return v.Kind == w.Kind && Equal(v, w)
	}
	switch a.Kind() {
	case reflect.Pointer:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		return same(a.Elem(), b.Elem())
	case reflect.Struct:
		for i := range a.NumField() {
			if !same(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Slice:
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !same(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	}
	return a.Equal(b)
}
