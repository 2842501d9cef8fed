//go:build !linux

package launch

import (
	"context"
	"errors"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
)

var errLinux = errors.New("stacks are traced on Linux only")

// Exec is for Linux.
func (s *Session) Exec(context.Context, gotool.Streams, []string, int) (*Program, error) {
	return nil, errLinux
}

// EndAlike is for Linux.
func (p *Program) EndAlike() {}

func makePipe(string) error { return errLinux }

// A Pipe is for Linux.
type Pipe struct{}

// OpenPipe is for Linux.
func OpenPipe(string) (*Pipe, error) { return nil, errLinux }

func (p *Pipe) Read([]byte) (int, error) { return 0, errLinux }

// Finish is for Linux.
func (p *Pipe) Finish() {}

// Close is for Linux.
func (p *Pipe) Close() error { return nil }
