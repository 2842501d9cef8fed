package explain

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/weld/calltrace"
)

// What is traced of a function that calls Go has the callbacks, and C alone between them.
func TestTracedCallbacks(t *testing.T) {
	plain := calltrace.Function{Calls: 5, TotalNS: 50, P50NS: 590_000}
	calling := plain
	calling.Callbacks, calling.CallbackNS = 2, 761_000_000
	calling.Between = &calltrace.Between{Callbacks: 2000, P50NS: 103, P99NS: 159, P999NS: 239}
	if text := fmt.Sprint(traceTable(&plain).Table.Rows); strings.Contains(text, "callbacks") {
		t.Errorf("no Go was called: %s", text)
	}
	text := fmt.Sprint(traceTable(&calling).Table.Rows)
	for _, want := range []string{"[callbacks 2,000]", "[in Go, with the way there and back 761 ms]", "103 ns, 159 ns, 239 ns"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	if got := (&function{trace: &plain}).cTime(); !strings.HasPrefix(got, "590 ") {
		t.Error(got)
	}
	if got := (&function{trace: &calling}).cTime(); !strings.HasPrefix(got, "103 ns between") {
		t.Error(got)
	}
}
