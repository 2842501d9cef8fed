// Package experiment is the list of experiments. A new one is a folder and a line here.
package experiment

import (
	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/experiment/barrier"
	"github.com/seamgo/seam/cmd/seam/internal/lab/experiment/blocking"
	"github.com/seamgo/seam/cmd/seam/internal/lab/experiment/buffers"
	"github.com/seamgo/seam/cmd/seam/internal/lab/experiment/cacheline"
	"github.com/seamgo/seam/cmd/seam/internal/lab/experiment/call"
	"github.com/seamgo/seam/cmd/seam/internal/lab/experiment/callback"
	"github.com/seamgo/seam/cmd/seam/internal/lab/experiment/dlcall"
	"github.com/seamgo/seam/cmd/seam/internal/lab/experiment/errorpath"
	"github.com/seamgo/seam/cmd/seam/internal/lab/experiment/events"
	"github.com/seamgo/seam/cmd/seam/internal/lab/experiment/grid"
	"github.com/seamgo/seam/cmd/seam/internal/lab/experiment/growth"
	"github.com/seamgo/seam/cmd/seam/internal/lab/experiment/guard"
	"github.com/seamgo/seam/cmd/seam/internal/lab/experiment/lifetime"
	"github.com/seamgo/seam/cmd/seam/internal/lab/experiment/payload"
	"github.com/seamgo/seam/cmd/seam/internal/lab/experiment/prof"
	"github.com/seamgo/seam/cmd/seam/internal/lab/experiment/rings"
	"github.com/seamgo/seam/cmd/seam/internal/lab/experiment/spawn"
	"github.com/seamgo/seam/cmd/seam/internal/lab/experiment/switches"
	"github.com/seamgo/seam/cmd/seam/internal/lab/experiment/versions"
	"github.com/seamgo/seam/cmd/seam/internal/lab/experiment/wake"
)

// Experiments are all experiments, in the order in which they are reported.
var Experiments = []lab.Experiment{
	call.Experiment,
	dlcall.Experiment,
	grid.Experiment,
	switches.Experiment,
	spawn.Experiment,
	guard.Experiment,
	callback.Experiment,
	blocking.Experiment,
	events.Experiment,
	rings.Experiment,
	wake.Experiment,
	errorpath.Experiment,
	payload.Experiment,
	cacheline.Experiment,
	lifetime.Experiment,
	barrier.Experiment,
	buffers.Experiment,
	growth.Experiment,
	prof.Experiment,
	versions.Experiment,
}
