package prof

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"io"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/prof/symbols"
)

// An Event is a crash, for what collects crashes.
type Event struct {
	Signal          string
	Words           []string // what the report says of the address and the stack
	Process, Thread int
	Program, Name   string // the process's and the thread's
	Time            time.Time
	Go, Libc        string
	Builds          map[string]string
	Frames          []EventFrame // the innermost first
}

// An EventFrame is a function of C.
type EventFrame struct {
	symbols.Frame
	File    string // the object's
	Address string // in it
}

var (
	who        = regexp.MustCompile(`^seam: process (\d+)(?: \((.*?)\))?, thread (\d+)(?: \((.*?)\))?, (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) UTC, (.*?), (.*)$`)
	signalName = regexp.MustCompile(`^seam: (SIG[A-Z]+) in C, `)
	ofAddress  = regexp.MustCompile(`^seam: ((?:address|the address|the memory|the C library|the stack has) .*)$`)
)

func signalOf(text string) string {
	if m := signalName.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// read takes what a line of the report says, but for its stack.
func (e *Event) read(text string) {
	if m := who.FindStringSubmatch(text); m != nil {
		e.Process, _ = strconv.Atoi(m[1])
		e.Thread, _ = strconv.Atoi(m[3])
		e.Program, e.Name, e.Go, e.Libc = m[2], m[4], m[6], m[7]
		e.Time, _ = time.Parse("2006-01-02 15:04:05", m[5])
	}
	if m := ofAddress.FindStringSubmatch(text); m != nil {
		e.Words = append(e.Words, m[1])
	}
}

// add adds a place of the stack: what is known of it, or what the report calls it.
func (e *Event) add(frames []symbols.Frame, name, file, digits string) {
	if frames == nil {
		frames = []symbols.Frame{{Func: symbols.Demangle(name)}}
	}
	for _, f := range frames {
		e.Frames = append(e.Frames, EventFrame{f, file, "0x" + digits})
	}
}

// WriteEvents writes a line of JSON for each crash, in the form that Sentry's interface takes for
// native events.
func WriteEvents(w io.Writer, events []*Event) error {
	out := json.NewEncoder(w)
	for _, e := range events {
		if err := out.Encode(e.sentry()); err != nil {
			return err
		}
	}
	return nil
}

type object = map[string]any

func (e *Event) sentry() object {
	frames := []object{}
	for _, f := range slices.Backward(e.Frames) { // theirs begins with the outermost
		frame := object{"function": f.Func, "package": f.File, "instruction_addr": f.Address, "platform": "native", "addr_mode": "rel:" + f.File}
		if f.Frame.File != "" {
			frame["filename"], frame["abs_path"], frame["lineno"] = filepath.Base(f.Frame.File), f.Frame.File, f.Line
		}
		frames = append(frames, frame)
	}
	images := []object{}
	for _, file := range slices.Sorted(maps.Keys(e.Builds)) {
		image := object{"type": "elf", "code_file": file, "code_id": e.Builds[file]}
		if id := debugID(e.Builds[file]); id != "" {
			image["debug_id"] = id
		}
		images = append(images, image)
	}
	event := object{
		"platform": "native", "level": "fatal",
		"exception": object{"values": []object{{
			"type": cmp.Or(e.Signal, "crash"), "value": strings.Join(e.Words, "; "), "thread_id": e.Thread,
			"mechanism":  object{"type": "signalhandler", "handled": false, "meta": object{"signal": object{"name": e.Signal}}},
			"stacktrace": object{"frames": frames},
		}}},
		"debug_meta": object{"images": images},
		"threads":    object{"values": []object{{"id": e.Thread, "name": e.Name, "crashed": true, "current": true}}},
		"contexts":   object{"runtime": object{"name": "go", "version": strings.TrimPrefix(e.Go, "go")}},
		"extra":      object{"process": e.Process, "program": e.Program, "libc": e.Libc},
	}
	if !e.Time.IsZero() {
		event["timestamp"] = e.Time.Format(time.RFC3339)
	}
	return event
}

// debugID is the form in which symbol servers have a build ID: a GUID, whose first three parts are
// little-endian.
func debugID(build string) string {
	b, err := hex.DecodeString(build)
	if err != nil || len(b) < 16 {
		return ""
	}
	slices.Reverse(b[0:4])
	slices.Reverse(b[4:6])
	slices.Reverse(b[6:8])
	h := hex.EncodeToString(b[:16])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}
