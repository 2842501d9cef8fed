//go:build !(linux && !android && (amd64 || arm64) && gc && cgo && !asan && !msan)

package heap

import (
	"io"
	"net/http/httptest"
	"strings"
	"testing"
)

// Where nothing is counted that is said, and nothing fails.
func TestNone(t *testing.T) {
	if Status() == nil {
		t.Error("the status is that it is counted")
	}
	if err := WriteProfile(io.Discard); err != nil {
		t.Error(err)
	}
	if m := Read(); m.Live != 0 || m.Samples != 0 {
		t.Errorf("%+v", m)
	}
	var text strings.Builder
	if err := WriteMetrics(&text); err != Status() || text.Len() > 0 {
		t.Errorf("%v\n%s", err, &text)
	}
	w := httptest.NewRecorder()
	Handler(w, httptest.NewRequest("GET", "/debug/pprof/cheap", nil))
	if w.Code != 503 {
		t.Errorf("code %d: %s", w.Code, w.Body)
	}
}
