package load

import (
	"strings"
	"testing"
)

// The checker finds what it is for.
func TestCompare(t *testing.T) {
	requests := map[string]Outcome{"a": Acknowledged, "b": Refused, "c": Unknown, "d": Unknown}
	for want, found := range map[string]map[string]int{
		"":                                        {"a": 1, "c": 1},
		"order a was acknowledged and is lost":    {"c": 1},
		"order a is there 2 times":                {"a": 2},
		"order d is there 2 times":                {"a": 1, "d": 2},
		"order b could not be sent and is there":  {"a": 1, "b": 1},
		"order e is there, and nobody has placed": {"a": 1, "e": 1},
	} {
		c, err := compare(requests, found)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", found, err, want)
		}
		if want == "" && c != (Count{Acknowledged: 1, Refused: 1, Done: 1, NotDone: 1}) {
			t.Errorf("%+v", c)
		}
	}
}
