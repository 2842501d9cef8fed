// Package compare sets two runs against each other that were made at different
// times: on two commits, two Go versions or two machines.
//
// Inside one run the lab measures in turns, so that the state of the machine
// cancels. Between runs nothing cancels. This package therefore asks for more:
//
//   - the spread between the fresh processes of both runs must not explain a
//     difference;
//   - benchmarks that hold none of the code under test must not have moved as
//     much (see [Drift]), unless processes that measured both show how a row follows
//     them, and it is slower at equal speed of the machine;
//   - there must be several processes on both sides. A run of go test is one,
//     whatever its -count; several of them appended to one file are several;
//   - a maximum, a share and a zero are not compared; a tail needs more
//     processes, and a count is at least as uncertain as its square root; and
//   - all rows together, not each by itself, must seldom be wrong.
//
// A header says what else differs between the runs.
package compare

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/stats"
)

// A File is what was measured in one run.
type File struct {
	Name  string // as the user gave it
	Facts []Fact // what the file tells about machine and program
	// Warnings name what the file holds and couldn't be used.
	Warnings []string

	series      []*series         // in the order of the file
	index       map[key][]*series // several where scopes differ
	higher      map[string]bool   // units whose larger values are better, or not
	exact       map[string]bool   // units whose values have no noise
	notMeasured map[string]string // benchmark name to reason
	bases       map[string]bool   // names of benchmarks without code under test
}

// A Fact is one property of a run: "cpu" is "AMD EPYC".
type Fact struct{ Name, Value string }

// fact returns the value of a fact, or "".
func (f *File) fact(name string) string {
	for _, x := range f.Facts {
		if x.Name == name {
			return x.Value
		}
	}
	return ""
}

// oneProcess reports whether nothing in the file was measured in two processes.
func (f *File) oneProcess() bool {
	return !slices.ContainsFunc(f.series, func(s *series) bool { return s.Processes() > 1 })
}

// A key is what both files must have in common.
type key struct{ name, unit string }

// A series is all values of one benchmark in one unit, in base units: seconds,
// not nanoseconds.
type series struct {
	key
	scope string // package or experiment; tells equal names apart
	stats.Sample
}

// add appends a value measured in a process to its series.
func (f *File) add(scope string, k key, value float64, process int) {
	var s *series
	for _, x := range f.index[k] {
		if x.scope == scope {
			s = x
		}
	}
	if s == nil {
		s = &series{key: k, scope: scope}
		f.series = append(f.series, s)
		f.index[k] = append(f.index[k], s)
	}
	s.Values = append(s.Values, value)
	s.Cluster = append(s.Cluster, process)
}

// maxBytes bounds what Load reads.
const maxBytes = 256 << 20

// Load reads a run: the JSON of seam lab, or the Go benchmark format as go test
// -bench and seam lab --benchfmt write it. Which one it is shows in the content.
// name is what errors and the table call it.
func Load(name string, r io.Reader) (*File, error) { return load(name, r, maxBytes) }

func load(name string, r io.Reader, most int64) (*File, error) {
	if err := checkSize(r, most); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	limited := &limitReader{r, most}
	b := bufio.NewReader(limited)
	start, err := skipSpace(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	f := &File{
		Name:        name,
		index:       map[key][]*series{},
		higher:      map[string]bool{},
		exact:       map[string]bool{},
		notMeasured: map[string]string{},
		bases:       map[string]bool{},
	}
	if bytes.HasPrefix(start, []byte("{")) {
		err = f.readJSON(b)
		if err != nil && bytes.Contains(start, []byte(`"Action":`)) {
			err = errors.New("this is the output of go test -json; want go test -bench without -json")
		}
	} else {
		err = f.readBenchfmt(b)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(f.series) == 0 && len(f.notMeasured) == 0 {
		if len(f.Warnings) > 0 {
			return nil, fmt.Errorf("%s: no benchmark results; %s", name, f.Warnings[0])
		}
		return nil, fmt.Errorf("%s: no benchmark results; want the output of seam lab --json, seam lab --benchfmt or go test -bench", name)
	}
	return f, nil
}

// skipSpace drops a byte order mark and white space and returns a glimpse of
// what follows.
func skipSpace(b *bufio.Reader) ([]byte, error) {
	if mark, _ := b.Peek(3); string(mark) == "\ufeff" {
		b.Discard(3)
	}
	for {
		c, err := b.ReadByte()
		if errors.Is(err, io.EOF) {
			return nil, errors.New("the file is empty")
		}
		if err != nil {
			return nil, err
		}
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			break
		}
	}
	if err := b.UnreadByte(); err != nil {
		return nil, err
	}
	start, _ := b.Peek(200) // what there is; a read error comes back later
	return start, nil
}

// errTooLarge refuses what no run writes, before it fills the memory.
var errTooLarge = errors.New("the file is too large: more than 256 MiB, which no run of seam lab or go test writes")

// checkSize refuses a file by what its directory says, where r is one: reading
// all of it to find out takes a quarter of a minute.
func checkSize(r io.Reader, most int64) error {
	f, ok := r.(interface{ Stat() (fs.FileInfo, error) })
	if !ok {
		return nil
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Mode().IsRegular() && info.Size() > most {
		return errTooLarge
	}
	return nil
}

// A limitReader is an io.LimitReader that tells when it cut something off.
type limitReader struct {
	r    io.Reader
	left int64
}

func (l *limitReader) Read(p []byte) (int, error) {
	if l.left < 0 {
		return 0, errTooLarge
	}
	if int64(len(p)) > l.left+1 {
		p = p[:l.left+1]
	}
	n, err := l.r.Read(p)
	l.left -= int64(n)
	if l.left < 0 {
		return max(0, n-1), errTooLarge
	}
	return n, err
}
