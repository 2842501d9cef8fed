package errnothread_test

import (
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/vet/errnothread"
	"github.com/seamgo/seam/cmd/seam/internal/vet/vettest"
)

func Test(t *testing.T) {
	t.Parallel()
	vettest.Run(t, errnothread.Rule, "testdata/bad", "testdata/good")
}

// Without its header a function is known by its name alone.
func TestHeadless(t *testing.T) {
	t.Parallel()
	vettest.RunHeadless(t, errnothread.Rule, "testdata/headless")
}

// What all threads share needs a mutex, and no thread.
func TestShared(t *testing.T) {
	t.Parallel()
	vettest.Run(t, errnothread.Rule, "testdata/shared")
}
