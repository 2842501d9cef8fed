package main

import (
	"bytes"
	"strings"
	"testing"
)

// Mistakes on the command line and in what is called are told, and are failures.
func TestMistakes(t *testing.T) {
	for line, want := range map[string]string{
		"":                           "usage: thrift-cluster serve",
		"dance":                      "usage: thrift-cluster serve",
		"serve orders.conf":          `what is "orders.conf"?`,
		"demo now":                   `what is "now"?`,
		"load":                       `no such place: ""`,
		"load -callers 0 -at x":      "0 callers",
		"load -for 0s -at x":         "want one at least",
		"load -at moon:1":            `no such place: "moon:1"`,
		"load -at unix:no -for 50ms": "none was answered",
		"serve -config no.conf":      "no.conf: no such file",
	} {
		var out, errs bytes.Buffer
		if err := run(t.Context(), strings.Fields(line), &out, &errs); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q\n%s%s", line, err, want, &out, &errs)
		}
	}
}
