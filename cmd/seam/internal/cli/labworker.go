package cli

import (
	"os"
	"os/exec"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

// labWorker is the verb that the lab starts its processes with.
type labWorker struct{}

func (labWorker) Run(s *session) error {
	return withCode(exitFailed, lab.WorkerMain(s.ctx, s.stdin, s.experiments))
}

// workerCommand is this program as a worker.
func workerCommand() *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0] // it was good enough to start this process
	}
	return exec.Command(self, "lab-worker")
}
