package model

import (
	"strings"
	"testing"
)

// What a rule can't mean is refused where it stands, and nothing is left out silently.
func TestRulesThatAreRefused(t *testing.T) {
	load := func(field string, validate bool) string {
		text := "enum E { A = 1 }\nstruct T {}\nstruct S { 1: " + field + " }"
		_, errs := Load([]string{"a.thrift"}, Options{Validate: validate, ReadFile: func(string) ([]byte, error) { return []byte(text), nil }})
		var all []string
		for _, e := range errs {
			all = append(all, e.Error())
		}
		return strings.Join(all, "\n")
	}
	for field, want := range map[string]string{
		`i32 a (vt.lt = "$b")`:                                    `3:22: vt.lt = "$b": the struct has no field b`,
		`i32 a (vt.lt = "$")`:                                     "the struct has no field",
		`i32 a (vt.lt = "$a b")`:                                  `there is more behind its end: "b"`,
		`i32 a (vt.lt = "@len($b)")`:                              "the struct has no field b",
		`i32 a (vt.lt = "@len($a)")`:                              "@len is for text and containers",
		`i32 a (vt.lt = "@len(7, 8)")`:                            "@len has 2 arguments, and needs 1",
		`i32 a (vt.lt = "@len")`:                                  "behind @len there is no (",
		`i32 a (vt.lt = "@add(1, 2")`:                             "the ) of @add is missing",
		`i32 a (vt.lt = "@mine()")`:                               "there is no function mine: there are len, sprintf",
		`i32 a (vt.lt = "@add(1, 'x')")`:                          "@add can't add a number and text",
		`i32 a (vt.lt = "@add(1, 'x)")`:                           "the text has no second quotation mark",
		`i32 a (vt.lt = "@mod(1, 0)")`:                            "@mod divides by 0",
		`i32 a (vt.lt = "@mod(1.5, 2)")`:                          "@mod is for whole numbers",
		`i32 a (vt.lt = "@add(1x, 2)")`:                           "1x is no number",
		`i32 a (vt.lt = "@add(one, 2)")`:                          "a value is a number, text in quotation marks",
		`i32 a (vt.lt = "@sprintf('%d', 1)")`:                     "it is text, and is compared with a number",
		`string a (vt.const = "@sprintf('%d', 'x')")`:             "the format of @sprintf doesn't fit its arguments",
		`string a (vt.const = "@sprintf('%d')")`:                  "the format of @sprintf doesn't fit its arguments",
		`string a (vt.const = "@sprintf('%d', 1, 2)")`:            "the format of @sprintf doesn't fit its arguments",
		`string a (vt.const = "@sprintf('%999d', 1)")`:            "a number above 100",
		`string a (vt.const = "@sprintf($a, 1)")`:                 "a format in quotation marks",
		`list<i32> a (vt.min_size = "$a")`:                        "it is a container or a struct, and is compared with a number",
		`string a (vt.pattern = "$a")`:                            "a pattern is fixed",
		`string a (vt.not_nil = "$a")`:                            "true or false",
		`bool a (vt.const = "@equal($a, 1)")`:                     "@equal can't compare true or false and a number",
		`i32 a (vt.max_rune_size = "1")`:                          "no rule for a value of type i32",
		`i32 a (vt.lt = "` + strings.Repeat("@add(1,", 50) + `")`: "nested deeper than 16",
		`i32 a (vt.foo = "1")`:                                    "there is no such rule",
		`i32 a (vt.foo.lt = "1")`:                                 "there is no such rule",
		`i32 a (vt.elem.lt = "1")`:                                "has no elem",
		`list<i32> a (vt.key.lt = "1")`:                           "has no key",
		`list<i32> a (vt.elem.elem.lt = "1")`:                     "a value of type i32 has no elem",
		`i32 a (vt.min_size = "1")`:                               "no rule for a value of type i32",
		`string a (vt.lt = "1")`:                                  "no rule for a value of type string",
		`bool a (vt.in = "true")`:                                 "no rule for a value of type bool",
		`string a (vt.defined_only = "true")`:                     "no rule for a value of type string",
		`list<i32> a (vt.no_sparse = "true")`:                     "no rule for a value of type list<i32>",
		`i32 a (vt.skip = "true")`:                                "no rule for a value of type i32",
		`string a (vt.pattern = "(")`:                             "no regular expression",
		`i8 a (vt.lt = "300")`:                                    "no number of 8 bits",
		`double a (vt.lt = "NaN")`:                                "no number",
		`string a (vt.max_size = "-1")`:                           "a size is not negative",
		`string a (vt.max_size = "many")`:                         "no number of 32 bits",
		`bool a (vt.const = "maybe")`:                             "true or false",
		`string a (vt.not_nil = "maybe")`:                         "true or false",
		`E a (vt.const = "B")`:                                    "enum E has no value of that name",
		`i32 a (vt.lt = "1", vt.lt = "2")`:                        "the rule is there twice",
		`i32 a (vt.assert = "@equal(1, 1)")`:                      "assertions are annotations of the struct",
		`i32 a } (vt.assert = "x") struct R { 1: i32 a`:           "a value is a number",
		`i32 a } (vt.assert = "@len('x')") struct R { 1: i32 a`:   "it is a number, and has to be true or false",
		`i32 a } (vt.lt = "1") struct R { 1: i32 a`:               "the only rule about a whole struct is vt.assert",
	} {
		if got := load(field, true); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", field, got, want)
		}
		if got := load(field, false); !strings.Contains(got, "begin with vt.") {
			t.Errorf("%s, without the option: %q", field, got)
		}
	}
	for _, field := range []string{
		`i32 a (vt.in = "1", vt.in = "2", vt.in = "0x10", vt.not_nil)`, `E a (vt.const = "E.A", vt.not_in = "7", vt.defined_only)`,
		`T a (vt.skip, vt.not_nil = "true")`, `map<string, list<T>> a (vt.min_size = "1", vt.key.pattern = "x", vt.value.no_sparse = "true", vt.value.elem.skip = "true")`,
		`i64 a (vt.lt = "$b"), 2: i8 b`, `i64 a } (vt.assert = "@equal($a, 1)") struct R { 1: i32 a`,
		`binary a (vt.const = "", vt.prefix = "x")`, `double a (vt.gt = "-1.5e3")`,
	} {
		if got := load(field, true); got != "" {
			t.Errorf("%s: %q", field, got)
		}
	}
}

// What a function of one's own can't be is refused where it is declared or called.
func TestFunctionsOfOnesOwn(t *testing.T) {
	for text, want := range map[string]string{
		"luhn":                                "it has no =",
		"luhn=a/b.C":                          "no arguments in brackets",
		"lu hn(string) bool=a/b.C":            `"lu hn" is no name`,
		"(string) bool=a/b.C":                 `"" is no name`,
		"len(string) int64=a/b.C":             "there is a function len already",
		"luhn(int) bool=a/b.C":                `and not "int"`,
		"luhn(string,) bool=a/b.C":            `and not ""`,
		"luhn(string)=a/b.C":                  `the result is an int64, a float64, a string or a bool, and not ""`,
		"luhn(string) bool=a.b/c":             "an import path, a dot and a function",
		"luhn(string) bool=.C":                "an import path, a dot and a function",
		"luhn(string) bool=a/b.c":             `"c" is no exported name`,
		"luhn(string) bool=a/b.C()":           `"C()" is no exported name`,
		"luhn(string) bool=a\"; import \"b.C": "is no import path",
	} {
		if _, err := ParseRuleFunc(text); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "it is written like") {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	mine, err := ParseRuleFunc(" mine ( string , float64 ) bool = gopkg.in/rules.v2.Mine ")
	if err != nil || mine.Name != "mine" || mine.Package != "gopkg.in/rules.v2" || mine.Func != "Mine" || len(mine.Params) != 2 || mine.Result != BoolExpr {
		t.Fatal(mine, err)
	}
	for field, want := range map[string]string{
		`bool a (vt.const = "@mine($b, 1)"), 2: string b`:            "",
		`bool a (vt.const = "@mine($b)"), 2: string b`:               "@mine has 1 arguments, and needs 2",
		`bool a (vt.const = "@mine($b, 'x')"), 2: string b`:          "argument 2 of @mine is text, and has to be a double",
		`i32 a (vt.lt = "@mine($b, 1)"), 2: string b`:                "it is true or false, and is compared with a number",
		`bool a (vt.const = "@yours()")`:                             "mod, add, mine; --validate-func adds one",
		`i32 a } (vt.assert = "@mine('x', $a)") struct R { 1: i32 a`: "",
	} {
		_, errs := Load([]string{"a.thrift"}, Options{Validate: true, RuleFuncs: []*RuleFunc{mine}, ReadFile: func(string) ([]byte, error) { return []byte("struct S { 1: " + field + " }"), nil }})
		switch {
		case want == "" && len(errs) > 0:
			t.Errorf("%s: %v", field, errs)
		case want != "" && (len(errs) == 0 || !strings.Contains(errs[0].Error(), want)):
			t.Errorf("%s: %v, want %s", field, errs, want)
		}
	}
}

func FuzzRuleExpr(f *testing.F) {
	for _, s := range []string{"$a", "@len($b)", `@sprintf("%d-%s", $a, $b)`, "@equal(@mod($a, 10), 0)", "@add(@now_unix_nano(), 1000)", "@add(1.5e3; -0x10)", "@mine($b, $a)"} {
		f.Add(s)
	}
	fields := []*Field{{Name: "a", Type: &Type{Kind: I32}}, {Name: "b", Type: &Type{Kind: String}}, {Name: "c", Type: &Type{Kind: List, Elem: &Type{Kind: I8}}}}
	own := []*RuleFunc{{Name: "mine", Params: []ExprKind{TextExpr, DoubleExpr}, Result: IntExpr}}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := parseExpr(text, fields, own)
		if (e == nil || err != nil) == (err == nil) {
			t.Fatalf("%q: %v, %v", text, e, err)
		}
		if err != nil && len(err.Error()) > 1000 {
			t.Fatalf("%q: an error of %d bytes", text, len(err.Error()))
		}
	})
}
