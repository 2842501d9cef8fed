package result

import (
	"strings"
	"testing"
)

// What a file can make of memory is bounded before any of it is decoded.
func TestHostileRun(t *testing.T) {
	head := `{"schema":"` + Schema + `","experiments":[`
	for text, want := range map[string]string{
		head + strings.Repeat(`{},`, 1000) + `{}]}`:                                           "a list of more than 1000",
		head + `{"name":"x","series":[` + strings.Repeat(`{},`, 600_000) + `{}]}]}`:           "more than 1200000 objects",
		head + `{"name":"x","series":[{"samples":[` + strings.Repeat(`{},`, 3e6) + `{}]}]}]}`: "more than 1200000 objects",
	} {
		if _, err := Decode(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80s…: %v, want %q", text, err, want)
		}
	}
}
