package prof

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/prof/symbols"
)

// A place in a report of package prof's: a function, how far into it, and in brackets a file
// with an address.
var place = regexp.MustCompile(`(\S+?)(\+0x[0-9a-f]+)? \((.+) 0x([0-9a-f]+)\)`)

// inProgram is what reports call the program's own file.
const inProgram = "program"

// ErrNoProgram says that a report has addresses of the program, whose file isn't known.
var ErrNoProgram = errors.New("the report has addresses in the program: name its file")

// A crash adds to reports of crashes what is known of their places.
type crash struct {
	program string
	loaded  string                    // what it was called when it ran
	images  map[string]*symbols.Image // nil where there is none
	notes   []string
	noted   map[string]bool
	builds  map[string]string // of the report that is being written: the build IDs of its files
	named   int               // places
	asked   bool
	events  []*Event
	in      map[string]*Event // that is written now, by stream
}

// Reports is what was found in a log.
type Reports struct {
	Events []*Event // one for each report
	Named  int      // places that got a name
	Notes  []string // why others got none
}

// WriteCrash writes the reports of crashes in a text, which may stand among other text, with what
// ELF and DWARF say of their C: functions as their authors wrote them, those that were inlined, and
// lines. Each line may stand behind something that has collected it, or in JSON, as a whole report
// may. program is the file of the program, "" if it isn't known.
func WriteCrash(w io.Writer, report io.Reader, program string) (Reports, error) {
	return writeCrash(w, report, program, program)
}

func writeCrash(w io.Writer, report io.Reader, program, loaded string) (Reports, error) {
	c := &crash{program: program, loaded: loaded, images: map[string]*symbols.Image{}, noted: map[string]bool{}, in: map[string]*Event{}}
	text, err := readLog(report)
	if err != nil {
		return Reports{}, err
	}
	out := bufio.NewWriter(w)
	lines := parseLog(text)
	stream := streams(lines)
	var all []logPart
	for _, l := range lines {
		for _, p := range l.parts {
			if p.key = stream(p); p.text != "" {
				all = append(all, p)
			}
		}
	}
	for _, l := range lines {
		var b strings.Builder
		changed := false
		for _, p := range l.parts {
			with := p.text
			if p.text != "" {
				with = c.part(all)
				all = all[1:]
			}
			changed = changed || with != p.text
			b.WriteString(p.with(with))
		}
		if changed {
			out.WriteString(b.String())
		} else {
			out.WriteString(l.raw)
		}
	}
	found := Reports{Events: c.events, Named: c.named, Notes: c.notes}
	if err := out.Flush(); err != nil {
		return found, err
	}
	if c.asked {
		return found, ErrNoProgram
	}
	return found, nil
}

// readLog reads a log, which may have been compressed when it was put away.
func readLog(r io.Reader) (string, error) {
	b := bufio.NewReader(r)
	r = b
	if magic, _ := b.Peek(2); string(magic) == "\x1f\x8b" {
		z, err := gzip.NewReader(b)
		if err != nil {
			return "", err
		}
		r = z
	}
	text, err := io.ReadAll(r)
	return string(text), err
}

// part is what becomes of a line of a report, the first of those that are left.
func (c *crash) part(left []logPart) string {
	p := left[0]
	if whole := isHead(p.text); whole || c.in[p.key] == nil && isInside(p.text) {
		c.in[p.key] = &Event{Signal: signalOf(p.text), Builds: buildsOf(left)}
		c.events = append(c.events, c.in[p.key])
		if !whole {
			c.note("cut off", "the beginning of a report is not in this log: what signal it was is not known")
		}
	}
	e := c.in[p.key]
	if e == nil {
		return p.text
	}
	c.builds = e.Builds
	return c.line(e, p.text)
}

// isInside recognises lines that every report has, and nothing else.
func isInside(text string) bool {
	return strings.HasPrefix(text, "seam: stack pointer 0x") || strings.HasPrefix(text, "seam: the C stack")
}

// isHead recognises the first line of a report.
func isHead(text string) bool {
	return strings.HasPrefix(text, "seam: SIG") && strings.Contains(text, " in C, ")
}

// buildsOf are the build IDs that a report lists behind its stack; nil where it lists none.
func buildsOf(report []logPart) map[string]string {
	var builds map[string]string
	for _, p := range report[1:] {
		switch {
		case p.key != report[0].key:
		case isHead(p.text):
			return builds
		case p.text == "seam: build IDs:":
			builds = map[string]string{}
		case builds != nil && strings.HasPrefix(p.text, "\t"):
			if at := strings.LastIndex(p.text, ": "); at > 0 {
				builds[p.text[1:at]] = p.text[at+2:]
			}
		case builds != nil && strings.HasPrefix(p.text, "seam: "):
			return builds
		}
	}
	return builds
}

// line is one of the report. A line of the stack becomes two for each function, as in Go's
// own reports; in others the place is named where it stands.
func (c *crash) line(e *Event, text string) string {
	e.read(text)
	stack := strings.HasPrefix(text, "\t")
	at := place.FindStringSubmatchIndex(text)
	if at == nil || stack && (at[0] != 1 || at[1] != len(text)) {
		return text
	}
	part := func(i int) string { return text[max(at[2*i], 0):max(at[2*i+1], 0)] }
	name, offset, file, digits := part(1), part(2), part(3), part(4)
	frames := c.frames(name, file, digits)
	if stack {
		e.add(frames, name, file, digits)
	}
	if frames == nil {
		return text
	}
	c.named++
	where := "(" + file + " 0x" + digits + ")"
	if !stack {
		f := frames[0]
		words := f.Func
		if f.File != "" {
			words += " " + f.File + ":" + strconv.Itoa(f.Line)
		}
		return text[:at[0]] + words + " " + where + text[at[1]:]
	}
	var b strings.Builder
	for i, f := range frames {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString("\t" + f.Func)
		last := i == len(frames)-1
		if !last {
			b.WriteString(" (inlined)")
		}
		if f.File != "" {
			b.WriteString("\n\t\t" + f.File + ":" + strconv.Itoa(f.Line))
		} else if last {
			b.WriteString("\n\t\t")
		}
		if last {
			if f.File != "" {
				b.WriteByte(' ')
			}
			b.WriteString(strings.TrimSpace(offset + " " + where))
		}
	}
	return b.String()
}

// frames are those of an address, nil where nothing more is known than what the report says.
func (c *crash) frames(name, file, digits string) []symbols.Frame {
	address, err := strconv.ParseUint(digits, 16, 64)
	if err != nil {
		return nil
	}
	path, loaded := file, ""
	if file == inProgram {
		loaded = c.loaded
		if path = c.program; path == "" {
			c.asked = true
			return nil
		}
	} else if !filepath.IsAbs(file) { // the vDSO
		return nil
	}
	m, known := c.images[path]
	if !known {
		if m, err = symbols.OpenAs(path, cmp.Or(loaded, path)); err != nil {
			c.note(path, err.Error())
		}
		c.images[path] = m
	}
	if m == nil || !c.sameBuild(m, path, file) {
		return nil
	}
	frames := m.Frames(address)
	if len(frames) == 0 {
		c.note(path, fmt.Sprintf("%s has no names at some of the report's addresses: it is stripped, or not the file that crashed", path))
		return nil
	}
	// Names that begin with a bracket stand for none.
	if is := frames[len(frames)-1].Func; !strings.HasPrefix(name, "[") && symbols.Demangle(name) != is && !m.Has(address, name) {
		c.note(path, fmt.Sprintf("%s is not the file that crashed: where the report has %s, it has %s", path, symbols.Demangle(name), is))
		return nil
	}
	return frames
}

// sameBuild reports whether a file is the one that crashed, by its build ID where the report has it.
func (c *crash) sameBuild(m *symbols.Image, path, file string) bool {
	id, told := c.builds[file]
	switch {
	case told && id != "none" && id != m.BuildID:
		c.note(path, fmt.Sprintf("%s is not the file that crashed, but another build: its build ID is %s, and the report has %s", path, cmp.Or(m.BuildID, "none"), id))
		return false
	case c.builds == nil && file == inProgram:
		c.note("build", fmt.Sprintf("the report, or what of it is here, has no build IDs: that %s is the build which crashed is not checked but by its functions' names", path))
	}
	return true
}

func (c *crash) note(path, text string) {
	if !c.noted[path] {
		c.noted[path] = true
		c.notes = append(c.notes, text)
	}
}

// WriteCrashes writes the stacks of C of those processes in a folder of recordings that have
// crashed there, and returns how many there were.
func WriteCrashes(w io.Writer, dir string) (n int, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.crash"))
	if err != nil {
		return 0, err
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return n, err
		}
		var b strings.Builder
		process, loaded := strings.TrimSuffix(name, ".crash"), ""
		if n, err := readNote(process + ".note"); err == nil && len(n.files) > 0 {
			loaded = n.files[0].File
		}
		found, err := writeCrash(&b, strings.NewReader(ofCrash(string(text))), process+".exe", loaded)
		if err != nil || found.Named == 0 {
			continue // the report that the program has written says as much
		}
		if _, err := io.WriteString(w, "seam: the crash in C again, with lines:\n"+b.String()); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// ofCrash is the part of a report that has places: its first line, and the stack.
func ofCrash(text string) string {
	first, rest, _ := strings.Cut(text, "\n")
	_, stack, _ := strings.Cut(rest, "seam: the C stack")
	_, stack, _ = strings.Cut(stack, "\n")
	stack, _, _ = strings.Cut(stack, "\nseam: ")
	return first + "\n" + strings.TrimSuffix(stack, "\n") + "\n"
}
