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
		`i32 a (vt.lt = "$b")`:                          `3:22: vt.lt = "$b": references`,
		`i32 a (vt.lt = "@len($b)")`:                    "functions are not supported",
		`i32 a (vt.foo = "1")`:                          "there is no such rule",
		`i32 a (vt.foo.lt = "1")`:                       "there is no such rule",
		`i32 a (vt.elem.lt = "1")`:                      "has no elem",
		`list<i32> a (vt.key.lt = "1")`:                 "has no key",
		`list<i32> a (vt.elem.elem.lt = "1")`:           "a value of type i32 has no elem",
		`i32 a (vt.min_size = "1")`:                     "no rule for a value of type i32",
		`string a (vt.lt = "1")`:                        "no rule for a value of type string",
		`bool a (vt.in = "true")`:                       "no rule for a value of type bool",
		`string a (vt.defined_only = "true")`:           "no rule for a value of type string",
		`list<i32> a (vt.no_sparse = "true")`:           "no rule for a value of type list<i32>",
		`i32 a (vt.skip = "true")`:                      "no rule for a value of type i32",
		`string a (vt.pattern = "(")`:                   "no regular expression",
		`i8 a (vt.lt = "300")`:                          "no number of 8 bits",
		`double a (vt.lt = "NaN")`:                      "no number",
		`string a (vt.max_size = "-1")`:                 "a size is not negative",
		`string a (vt.max_size = "many")`:               "no number of 32 bits",
		`bool a (vt.const = "maybe")`:                   "true or false",
		`string a (vt.not_nil = "maybe")`:               "true or false",
		`E a (vt.const = "B")`:                          "enum E has no value of that name",
		`i32 a (vt.lt = "1", vt.lt = "2")`:              "the rule is there twice",
		`i32 a (vt.assert = "@equal(1, 1)")`:            "not supported",
		`i32 a } (vt.assert = "x") struct R { 1: i32 a`: "assertions about a whole struct are not supported",
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
		`binary a (vt.const = "", vt.prefix = "x")`, `double a (vt.gt = "-1.5e3")`,
	} {
		if got := load(field, true); got != "" {
			t.Errorf("%s: %q", field, got)
		}
	}
}
