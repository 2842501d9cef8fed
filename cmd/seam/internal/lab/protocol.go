package lab

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

// A spec is the order that a worker process reads from its standard input: one
// line of JSON. The parent keeps that pipe open while it lives, so its end
// tells the worker that nobody listens any more.
type spec struct {
	Experiment string        `json:"experiment"`
	Mode       string        `json:"mode"`
	Round      int           `json:"round"`
	Seed       uint64        `json:"seed"`
	Timed      time.Duration `json:"timed"`  // for all groups together, in ns
	Probes     []string      `json:"probes"` // names of the probe cases to run
}

// An event is one line of JSON from a worker to its parent.
type event struct {
	Kind eventKind `json:"kind"`
	// Case is the case the event is about, as its Cases lists it.
	Case string `json:"case,omitempty"`

	// Control says that samples are those of the second arm of a base case.
	Control bool            `json:"control,omitempty"`
	Samples []result.Sample `json:"samples,omitempty"`
	Metric  *metricEvent    `json:"metric,omitempty"`
	Profile *result.Profile `json:"profile,omitempty"`
	Reason  string          `json:"reason,omitempty"`
	Seconds float64         `json:"seconds,omitempty"`
}

type metricEvent struct {
	Name  string  `json:"name"`
	Unit  string  `json:"unit"`
	Label string  `json:"label"`
	Value float64 `json:"value"`
}

type eventKind string

const (
	evBegin   eventKind = "begin"   // Case and those of its group are measured from here on
	evSamples eventKind = "samples" // Samples of Case, or of its Control
	evMetric  eventKind = "metric"  // Metric that the probe Case found
	evProfile eventKind = "profile" // Profile that the probe Case made
	evProbed  eventKind = "probed"  // the probe Case took Seconds
	evSkip    eventKind = "skip"    // Case can't be measured here: Reason
	evFail    eventKind = "fail"    // Case went wrong: Reason
	evDone    eventKind = "done"    // the worker is through and will exit
)

// eventLimit bounds a line from a worker: far above the samples of one case,
// and a stop for a worker gone wild.
const eventLimit = 64 << 20

// readEvents calls handle for each event until the end of r.
func readEvents(r io.Reader, handle func(event)) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, eventLimit)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return fmt.Errorf("event %.60q: %w", lines.Text(), err)
		}
		if err := e.check(); err != nil {
			return fmt.Errorf("event %.60q: %w", lines.Text(), err)
		}
		handle(e)
	}
	return lines.Err()
}

// check refuses an event that lacks what its kind must have.
func (e *event) check() error {
	switch e.Kind {
	case evDone:
		return nil
	case evMetric:
		if e.Metric == nil || e.Metric.Unit == "" {
			return errors.New("a metric needs a value and a unit")
		}
	case evProfile:
		if e.Profile == nil {
			return errors.New("no profile")
		}
		if err := e.Profile.Check(); err != nil {
			return err
		}
	case evBegin, evSamples, evProbed, evSkip, evFail:
	default:
		return fmt.Errorf("unknown kind %q", e.Kind)
	}
	if e.Case == "" {
		return fmt.Errorf("%s without the name of a case", e.Kind)
	}
	return nil
}
