package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/output"
	"github.com/seamgo/seam/cmd/seam/internal/terminal"
	"github.com/seamgo/seam/cmd/seam/internal/text"
	"github.com/seamgo/seam/ring"
)

// ringVerb is the verb that looks at the rings of a running process.
type ringVerb struct {
	PID  int    `arg:"" name:"pid" help:"The process."`
	JSON string `name:"json" placeholder:"FILE" help:"Write what was seen as JSON; - is standard output."`
}

func (ringVerb) examples() string {
	return `Shows the rings that a process shares with others (package ring, seam/ring.h):
how full they are, who sleeps and why, and how often sides slept and were woken.
The process doesn't notice. It must be yours, or you root.

Examples:
  seam ring 4711
  seam ring "$(pgrep -n engine)" --json - | jq '.rings[].reader_waits'
`
}

// ringFile is what --json writes.
type ringFile struct {
	Schema string      `json:"schema"`
	PID    int         `json:"pid"`
	Rings  []ring.Seen `json:"rings"`
}

func (v *ringVerb) Run(s *session) error {
	if err := checkOutputs(outputFlag{"--json", given(v.JSON)}); err != nil {
		return err
	}
	seen, err := ring.Inspect(v.PID)
	if err != nil {
		return err
	}
	if v.JSON != "" {
		return withCode(exitFailed, output.Writer{Stdout: s.stdout, Stderr: s.stderr}.Write(s.ctx, v.JSON, func(w io.Writer) error {
			e := json.NewEncoder(w)
			e.SetIndent("", "  ")
			return e.Encode(ringFile{"seam.ring/1", v.PID, seen})
		}))
	}
	if len(seen) == 0 {
		_, err := fmt.Fprintf(s.stdout, "process %d shares no rings\n", v.PID)
		return withCode(exitFailed, err)
	}
	w := text.New(s.stdout, terminal.Of(s.stdout).Options)
	columns := []*text.Column{{Head: "ring", Left: true}, {Head: "bytes"}, {Head: "fill"}, {Head: "written"}, {Head: "read"},
		{Head: "writer", Left: true}, {Head: "slept"}, {Head: "reader", Left: true}, {Head: "slept"}, {Head: "dropped"}, {Head: "shared with", Left: true}}
	for _, r := range seen {
		way := "out"
		if r.Back {
			way = "back"
		}
		number := func(n uint64) string { return strconv.FormatUint(n, 10) }
		text.Add(columns, fmt.Sprintf("%d %s", r.Inode, way), number(r.Capacity), fmt.Sprintf("%d %%", (r.Fill()*100+r.Capacity-1)/r.Capacity), number(r.Written), number(r.Read),
			does(r.WriterWaits, r.WriterClosed, "waits for room"), number(r.WriterSleeps),
			does(r.ReaderWaits, r.ReaderClosed, "waits for records"), number(r.ReaderSleeps), number(r.Dropped), others(r.Processes, v.PID))
	}
	w.Table(text.Table{Columns: columns})
	return withCode(exitFailed, w.Flush())
}

func does(waits, closed bool, what string) string {
	switch {
	case closed:
		return "closed"
	case waits:
		return what
	}
	return "runs"
}

// others lists the processes that are not pid.
func others(list []int, pid int) string {
	var words []string
	for _, p := range slices.Sorted(slices.Values(list)) {
		if p != pid {
			words = append(words, strconv.Itoa(p))
		}
	}
	return strings.Join(words, " ")
}
