//go:build !(linux && !android && (amd64 || arm64) && gc && cgo && !asan && !msan)

package prof_test

import (
	"testing"

	"github.com/seamgo/seam/prof"
)

func TestStatus(t *testing.T) {
	if s := prof.Status(); s.Path != prof.PathNone || s.Reason == "" {
		t.Errorf("status is %v, without a reason", s)
	}
}
