package errorpath

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/labtest"
)

// workerEnv makes this test binary a worker.
const workerEnv = "SEAM_ERRORPATH_TEST_WORKER"

// The variants of the tests: parent and workers know them.
var (
	small = variant{name: "small", sizes: []int{1, 3}}
	older = variant{name: "older", sizes: []int{8}, only: layouts[0]}
	newer = variant{name: "newer", sizes: []int{8}, only: layouts[0]}
	worse = variant{name: "worse", sizes: []int{8}, only: layouts[0], change: slower}
)

func TestMain(m *testing.M) {
	if os.Getenv(workerEnv) != "" {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		defer stop()
		if err := lab.WorkerMain(ctx, os.Stdin, []lab.Experiment{older.experiment(), newer.experiment(), worse.experiment()}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(labtest.InOwnCache(m))
}

func testWorker() *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), workerEnv+"=1")
	return cmd
}
