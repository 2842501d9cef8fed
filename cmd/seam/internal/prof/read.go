package prof

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/pprof/profile"

	"github.com/seamgo/seam/cmd/seam/internal/prof/symbols"
)

// A reader reads what the processes of a run recorded.
type reader struct {
	out    *Profile
	images map[string]*symbols.Image // nil where there is none
	end    time.Time
	made   []made // by compilers at run time
	root   string // where the files of the process that is read are; "": here

	samples int64 // that are in the profile
	noting  int64 // time of [notes]
	unknown int64 // time in code without a file

	empty, unended []string // processes
	blind          []string // why C was not seen
}

// Read reads the recordings in a folder: of each process the profiles of its stretches, each
// behind its length. What a process could not end is left out, and noted.
func Read(dir string) (*Profile, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !e.Type().IsRegular() { // another user may write there, too
			return nil, fmt.Errorf("%s is no file", filepath.Join(dir, e.Name()))
		}
	}
	r := &reader{out: New(CPU, Wall), images: map[string]*symbols.Image{}}
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".prof"); ok {
			if err := r.process(filepath.Join(dir, name)); err != nil {
				return nil, err
			}
		}
	}
	r.conclude()
	if r.out.Count > 0 {
		r.out.Duration = r.end.Sub(r.out.Start)
	}
	if r.samples > 0 {
		r.out.Period = (r.out.Total(0) - r.out.Deaf) / r.samples
	}
	r.out.AddCrossings()
	return r.out, nil
}

// process reads the recording of one process.
func (r *reader) process(name string) error {
	what := "process " + strings.SplitN(filepath.Base(name), "-", 2)[0]
	pieces, cpu, err := r.pieces(name+".prof", what)
	if err != nil {
		return err
	}
	n, err := readNote(name + ".note")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	root, err := os.ReadFile(name + ".root")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	r.root = string(root)
	if r.made, err = readPerfMap(name + ".map"); err != nil {
		return err
	}
	var sampled int64
	for _, p := range pieces {
		for _, s := range p.Sample {
			sampled += s.Value[1]
		}
	}
	if len(pieces) > 0 {
		r.out.Count++
	}
	r.out.Own += n.own
	r.judge(what, n, pieces, cpu, sampled)
	scale := 1.0
	if n.signal == "" {
		scale = scaleOf(cpu-n.deafCPU(), sampled, pieces)
	}
	files := n.files
	for _, p := range pieces {
		files = withFiles(p, files)
		r.samples += r.add(p, name+".exe", n.blind, func(v int64) []int64 { return []int64{int64(math.Round(scale * float64(v)))} })
	}
	pieces, _, err = r.pieces(name+".wall", what)
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // killed before it could write any
		return err
	}
	for _, p := range pieces {
		files = withFiles(p, files)
		r.add(p, name+".exe", n.blind, func(v int64) []int64 { return []int64{0, v} })
	}
	return nil
}

// withFiles has a piece say in which files its addresses are, if it can't itself: the process could
// not read /proc any more, as after a chroot. It returns what is known for the next piece.
func withFiles(p *profile.Profile, before []*profile.Mapping) []*profile.Mapping {
	if slices.ContainsFunc(p.Mapping, func(m *profile.Mapping) bool { return m.File != "" }) {
		return p.Mapping
	}
	for _, l := range p.Location {
		for _, m := range before {
			if l.Address >= m.Start && l.Address < m.Limit {
				l.Mapping = m
			}
		}
	}
	if len(before) > 0 {
		p.Mapping = before
	}
	return before
}

// pieces reads the profiles in a file, and how much CPU time they are of.
func (r *reader) pieces(file, what string) (pieces []*profile.Profile, cpu int64, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, 0, err
	}
	for len(text) > 0 {
		piece, rest, ok := cut(text)
		if !ok {
			if gap := what + ": the last of its recording is cut off"; !slices.Contains(r.out.Gaps, gap) {
				r.out.Gaps = append(r.out.Gaps, gap)
			}
			break
		}
		text = rest
		p, err := parse(piece.profile)
		if err != nil {
			r.out.Gaps = append(r.out.Gaps, fmt.Sprintf("%s: part of its recording can't be read: %v", what, err))
			continue
		}
		p.Sample = slices.DeleteFunc(p.Sample, taken)
		pieces = append(pieces, p)
		cpu += piece.cpu
	}
	return pieces, cpu, nil
}

// scaleOf is how much more a sample stands for than its period. Where a kernel's timers have
// fewer ticks than were asked for, often at most 250 a second, each sample stands for several.
func scaleOf(cpu, sampled int64, pieces []*profile.Profile) float64 {
	const enough, usual = 30, 1.5 // samples; less is chance
	if sampled == 0 || sampled < enough*pieces[0].Period || float64(cpu) < usual*float64(sampled) {
		return 1
	}
	return float64(cpu) / float64(sampled)
}

// A piece is a profile and the CPU time that the kernel counted meanwhile.
type piece struct {
	cpu     int64
	profile []byte
}

// cut splits off the first piece.
func cut(text []byte) (first piece, rest []byte, ok bool) {
	const head = 16
	if len(text) < head {
		return piece{}, nil, false
	}
	cpu, n := binary.LittleEndian.Uint64(text), binary.LittleEndian.Uint64(text[8:])
	if text = text[head:]; n > uint64(len(text)) {
		return piece{}, nil, false
	}
	return piece{int64(min(cpu, math.MaxInt64)), text[:n]}, text[n:], true
}

// parse reads a profile as Go's runtime writes it.
func parse(block []byte) (*profile.Profile, error) {
	p, err := profile.Parse(bytes.NewReader(block))
	if err != nil {
		return nil, err
	}
	if len(p.SampleType) != 2 || p.SampleType[1].Type != "cpu" {
		return nil, errors.New("it is no CPU profile")
	}
	return p, nil
}

// add adds a profile, and returns how many of its samples count. values makes what a stack counts
// of what it counts there.
func (r *reader) add(p *profile.Profile, kept, blind string, values func(int64) []int64) (samples int64) {
	begin := time.Unix(0, p.TimeNanos)
	if r.out.Start.IsZero() || begin.Before(r.out.Start) {
		r.out.Start = begin
	}
	if end := begin.Add(time.Duration(p.DurationNanos)); end.After(r.end) {
		r.end = end
	}
	program := ""
	if len(p.Mapping) > 0 {
		program = p.Mapping[0].File
	}
	if r.out.Program == "" {
		r.out.Program = program
	}
	// A program that the go command has removed was kept under another name.
	file := func(name string) string {
		if name == program {
			if _, err := os.Stat(kept); err == nil {
				return kept
			}
		}
		if r.root != "" && filepath.IsAbs(name) {
			return r.root + name
		}
		return name
	}
	named := map[uint64][]Frame{}
	for _, l := range p.Location {
		named[l.ID] = r.frames(l, file)
	}
	for _, s := range p.Sample {
		var stack []Frame
		for _, l := range s.Location {
			stack = append(stack, named[l.ID]...)
		}
		if slices.ContainsFunc(stack, recorder) {
			continue
		}
		if slices.ContainsFunc(stack, notes) {
			r.noting += values(s.Value[1])[0]
			continue
		}
		if len(stack) > 0 && stack[0].Func == fileless {
			r.unknown += values(s.Value[1])[0]
		}
		if blind != "" {
			var changed bool
			if stack, changed = withCallee(stack); changed && !slices.Contains(r.blind, blind) {
				r.blind = append(r.blind, blind)
			}
		}
		samples += s.Value[0]
		r.out.Add(withoutStandIns(stack), s.Label, values(s.Value[1])...)
	}
	return samples
}

// recorder recognises what is compiled in to record: its work isn't the program's.
func recorder(f Frame) bool { return strings.HasPrefix(f.Func, "runtime/pprof.Seam") }

// notes recognises what keeps, for each call from C to Go, where in C that was: package prof's.
func notes(f Frame) bool { return f.Func == "seamprof_context" }

// taken recognises the samples that the recorder has taken of itself, for no CPU time.
func taken(s *profile.Sample) bool {
	return slices.ContainsFunc(s.Location, func(l *profile.Location) bool {
		return slices.ContainsFunc(l.Line, func(line profile.Line) bool {
			return line.Function != nil && line.Function.Name == "runtime/pprof.seamSample"
		})
	})
}

// frames are those of a location: Go's as the process named them, and those of C by their
// files.
func (r *reader) frames(l *profile.Location, file func(string) string) (list []Frame) {
	given := ""
	for _, line := range l.Line {
		f := line.Function
		if f == nil {
			continue
		}
		if f.Filename == "" {
			given = f.Name
			continue
		}
		list = append(list, Frame{f.Name, f.Filename, int(line.Line), kindOf(f.Name, f.Filename)})
	}
	if len(list) > 0 {
		return list
	}
	if l.Mapping != nil && given != truncated && given != recursion && given != leftOut {
		for _, f := range r.named(file(l.Mapping.File), l.Mapping.File, l.Mapping.BuildID, l.Address-l.Mapping.Start+l.Mapping.Offset) {
			list = append(list, Frame{f.Func, f.File, f.Line, kindOfC(f.Func, f.File)})
		}
	}
	if len(list) > 0 {
		return list
	}
	if l.Mapping == nil || l.Mapping.File == "" || given == fileless {
		if name := madeAt(r.made, l.Address); name != "" {
			return []Frame{{Func: name, Kind: kindOfC(name, "")}}
		}
	}
	switch {
	case given != "" && given != "[program]": // its file says more
		given = symbols.Demangle(given)
	case l.Mapping != nil && l.Mapping.File != "":
		given = symbols.In(l.Mapping.File)
	default:
		given = fileless
	}
	return []Frame{{Func: given, Kind: kindOfC(given, "")}}
}

// fileless stands for code of which not even the file is known.
const fileless = "[unknown]"

// kindOfC is kindOf for what is no Go, whatever it is called.
func kindOfC(name, file string) Kind { return max(kindOf(name, file), C) }

func (r *reader) named(path, loaded, build string, offset uint64) []symbols.Frame {
	m, known := r.images[path]
	if !known {
		m, _ = symbols.OpenAs(path, loaded) // of what can't be read nothing is known: a name in brackets says so
		r.images[path] = m
	}
	if m == nil {
		return nil
	}
	if build != "" && m.BuildID != "" && build != m.BuildID && len(build) == len(m.BuildID) { // another than was loaded
		if note := path + " is not the file that was loaded, but another build: its functions have no names"; !slices.Contains(r.out.Notes, note) {
			r.out.Notes = append(r.out.Notes, note)
		}
		return nil
	}
	address, ok := m.Address(offset)
	if !ok {
		return nil
	}
	return m.Frames(address)
}
