// Package all is the list of experiments. A new one is a folder and a line here.
package all

import (
	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/barrier"
	"github.com/seamgo/seam/cmd/seam/internal/lab/blocking"
	"github.com/seamgo/seam/cmd/seam/internal/lab/buffers"
	"github.com/seamgo/seam/cmd/seam/internal/lab/cacheline"
	"github.com/seamgo/seam/cmd/seam/internal/lab/call"
	"github.com/seamgo/seam/cmd/seam/internal/lab/callback"
	"github.com/seamgo/seam/cmd/seam/internal/lab/errorpath"
	"github.com/seamgo/seam/cmd/seam/internal/lab/events"
	"github.com/seamgo/seam/cmd/seam/internal/lab/grid"
	"github.com/seamgo/seam/cmd/seam/internal/lab/growth"
	"github.com/seamgo/seam/cmd/seam/internal/lab/guard"
	"github.com/seamgo/seam/cmd/seam/internal/lab/lifetime"
	"github.com/seamgo/seam/cmd/seam/internal/lab/payload"
	"github.com/seamgo/seam/cmd/seam/internal/lab/spawn"
	"github.com/seamgo/seam/cmd/seam/internal/lab/switches"
)

// Experiments are all experiments, in the order in which they are reported.
var Experiments = []lab.Experiment{
	call.Experiment,
	grid.Experiment,
	switches.Experiment,
	spawn.Experiment,
	guard.Experiment,
	callback.Experiment,
	blocking.Experiment,
	events.Experiment,
	errorpath.Experiment,
	payload.Experiment,
	cacheline.Experiment,
	lifetime.Experiment,
	barrier.Experiment,
	buffers.Experiment,
	growth.Experiment,
}
