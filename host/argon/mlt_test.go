package argon_test

import (
	"maps"
	"os"
	"path/filepath"
	"testing"
)

const mltBase = `
use mlt::{categorizes, partitions, power_type_of, is_subordinate_to, order};
use mlt::star::orderless;
pub metatype first = { order: 1 };
pub metatype second = { order: 2 };
pub first Animal;
pub first Stone;
pub second Breed;
pub second Rank;
`

// TestMultiLevelTheory holds each check of packages/mlt to what it finds in a
// package that uses it, and to finding nothing in one that is right.
func TestMultiLevelTheory(t *testing.T) {
	paths, err := filepath.Glob("../../packages/mlt/*")
	if err != nil || len(paths) == 0 {
		t.Fatal("no files", err)
	}
	mlt := map[string]string{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		mlt["../mlt/"+filepath.Base(path)] = string(text)
	}
	cases := []struct{ check, source, rows string }{
		{"outside_base", "pub categorizes c(higher: Breed, base: Animal);\npub first Pug <: Animal : Breed;\npub first Slate <: Stone : Breed;", " (Slate, Breed, Animal)"},
		{"outside_base", "pub partitions c(higher: Breed, base: Animal);\npub first Slate <: Stone : Breed;", " (Slate, Breed, Animal)"},
		{"outside_base", "pub categorizes c(higher: Breed, base: Animal);\npub first Pug <: Animal : Breed;", ""},
		{"base_itself", "pub categorizes c(higher: Breed, base: Animal);\nderive iof(Animal, Breed);", " (Animal, Breed)"},
		{"outside_power", "pub power_type_of c(higher: Breed, base: Animal);\nderive iof(Stone, Breed);", " (Stone, Breed, Animal)"},
		{"missing_in_power", "pub power_type_of c(higher: Breed, base: Animal);\npub first Pug <: Animal : Breed;", " (Animal, Breed, Animal)"},
		{"missing_in_power", "pub power_type_of c(higher: Breed, base: Animal);\npub first Pug <: Animal;\nderive iof(t: TypeRef, Breed) :- specializes(t, Animal);", ""},
		{"not_subordinate", "pub is_subordinate_to c(lower: Breed, upper: Rank);\npub first Dog <: Animal : Rank;\npub first Pug <: Dog : Breed;\npub first Tabby <: Animal : Breed;", " (Tabby, Breed, Rank)"},
		{"wrong_level", "pub categorizes c(higher: Breed, base: Animal);\npub second Pug <: Animal : Breed;", " (Pug, Breed)"},
		{"wrong_level", "pub categorizes c(higher: Breed, base: Animal);\npub type Pug <: Animal : Breed;", ""},
		{"wrong_base_level", "pub categorizes c(higher: Breed, base: Rank);", " (Breed, Rank)"},
		{"levels_mixed", "pub second Pug <: Animal;\npub first Cur <: Animal;", " (Pug, Animal)"},
		{"in_two_parts", "pub partitions c(higher: Breed, base: Animal);\npub first Pug <: Animal : Breed;\npub first Tabby <: Animal : Breed;\npub fact Pug(rex);\npub fact Tabby(rex);\npub fact Tabby(tom);", " (rex, Pug, Tabby)"},
		{"in_no_part", "pub partitions c(higher: Breed, base: Animal);\npub first Pug <: Animal : Breed;\npub fact Pug(rex);\npub fact Animal(tom);", " (tom, Animal, Breed)"},
		{"star::ordered_above", "pub orderless Thing <: Animal;\npub orderless Odd;\nderive iof(Odd, Odd);", " (Thing, Animal)"},
		{"star::ordered_itself", "pub orderless Thing { order::1 }", " (Thing)"},
	}
	for _, c := range cases {
		files := maps.Clone(mlt)
		files["ox.toml"] = "[package]\nname = \"user\"\nprelude = [\"std::core::type\"]\n[dependencies]\nmlt = { path = \"../mlt\" }\n"
		files["root.ar"] = mltBase + c.source
		r := compileFiles(t, files)
		if r.Module == nil {
			t.Errorf("%s: %v %s", c.check, found(r), r.Diagnostics[0].Message)
			continue
		}
		if got := extent(t, r.Module, loaded(t, r.Module), "mlt::"+c.check); got != c.rows {
			t.Errorf("%s gives%s, not%s, of\n%s", c.check, got, c.rows, c.source)
		}
	}
}
