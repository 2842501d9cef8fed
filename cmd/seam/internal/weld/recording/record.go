// Package recording reads what a program recorded about itself, in a file that it
// mapped: a record. Records are written by the C in runtime/record, and recordlayout.go has
// their layout. All begin alike, and go on with chunks whose types are the verb's own.
package recording

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unsafe"
)

// A Format is a kind of record.
type Format struct {
	Magic   string // eight bytes
	Version uint32
	Verb    string // that builds such programs: "trace"
	Err     error  // says that a file is not one of these
}

// A Process is what all records tell of the process that wrote them.
type Process struct {
	PID   int
	Start time.Time
	Exe   string // "" if unknown

	Go, OS, Arch string // what it was built by and for; "" if unknown

	// Main is the main module of the program, or the folder where it was built outside of
	// modules; Build, its build ID. "" if unknown.
	Main, Build string

	// Cut says what of the record is not there, because the file was cut off or
	// changed; Full, why the process could not record more. "" if nothing is amiss.
	Cut, Full string
}

// read reads the part of a record that is used. The process may still be
// writing.
func (f Format) read(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	// Most of the file may be a hole behind what is used.
	head := make([]byte, HeaderSize)
	n, err := io.ReadFull(file, head)
	switch {
	case n == 0: // C leaves an empty file, or a folder: see seam_record_open
		return nil, fmt.Errorf("%s: %w", name, ErrNoRoom)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, f.Err)
	}
	used, err := f.used(head)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	rest, err := io.ReadAll(io.LimitReader(file, used-HeaderSize))
	if err != nil {
		return nil, err
	}
	return append(current(head), rest...), nil
}

// current is the head of a record as the current version has it. Version 1 had no
// Header.Failed, which the verb's own fields follow, and 0 where chunks have got more.
func current(head []byte) []byte {
	const failed = unsafe.Offsetof(Header{}.Failed)
	if Decode[Header](head).Version > 1 {
		return head
	}
	return slices.Insert(head, int(failed), make([]byte, unsafe.Sizeof(Header{}.Failed))...)[:HeaderSize]
}

// ErrNoRoom says that a process could not make its record, and has left a sign of it.
var ErrNoRoom = errors.New("a process could not record: for want of room on the disk, of a file descriptor or of the right to")

// Read reads a record and parses it.
func Read[T any](f Format, name string, parse func(data []byte) (T, error)) (r T, err error) {
	data, err := f.read(name)
	if err != nil {
		return r, err
	}
	if r, err = parse(data); err != nil {
		return r, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}

// used checks the beginning of a record and returns how much of it is used.
func (f Format) used(data []byte) (int64, error) {
	if len(data) < HeaderSize || string(data[:8]) != f.Magic {
		return 0, f.Err
	}
	h := Decode[Header](data)
	if h.Order != Order {
		return 0, fmt.Errorf("%w that this version of seam can read: another byte order", f.Err)
	}
	// Older versions: see current.
	if h.Version == 0 || h.Version > f.Version {
		return 0, fmt.Errorf("%w that this version of seam can read: version %d, want at most %d; rebuild the program with seam %s", f.Err, h.Version, f.Version, f.Verb)
	}
	if h.Used < HeaderSize || h.Used > maxFile {
		return 0, fmt.Errorf("%w: it claims to be %d bytes long", f.Err, h.Used)
	}
	return int64(h.Used), nil
}

// Parse checks a record and returns what it tells of the process, and its
// chunks' part of data. What a process that was killed left half written is left
// out.
func (f Format) Parse(data []byte) (Process, []byte, error) {
	used, err := f.used(data)
	if err != nil {
		return Process{}, nil, err
	}
	h := Decode[Header](data)
	p := Process{PID: int(int32(h.PID)), Start: time.Unix(0, int64(h.StartReal)).UTC(), Full: full(h.Failed)}
	if int64(len(data)) < used {
		p.Cut = fmt.Sprintf("its recording is cut off: %d bytes of %d", len(data), used)
	}
	data = data[:min(int(used), len(data))]
	chunks := data[HeaderSize:]
	whole := Chunks(chunks, func(kind uint32, chunk []byte) {
		if kind != TextChunk {
			return
		}
		c, rest := Split[Text](chunk)
		switch t := Texts(rest, c.Length); {
		case len(t) == 2 && t[0] == "exe":
			p.Exe = t[1]
		case len(t) == 4 && t[0] == "go":
			p.Go, p.OS, p.Arch = t[1], t[2], t[3]
		case len(t) == 2 && t[0] == "main":
			p.Main, p.Build, _ = strings.Cut(t[1], "\t")
		}
	})
	if whole < len(chunks) && p.Cut == "" {
		p.Cut = fmt.Sprintf("its recording is damaged %d bytes from its start", HeaderSize+whole)
	}
	return p, chunks, nil
}

// full tells the errors for which a record can't grow: numbers that Linux has the
// same on every architecture that records.
func full(errno uint64) string {
	switch errno {
	case 0:
		return ""
	case 23, 24: // ENFILE, EMFILE
		return "no file descriptor was left to make the recording longer"
	case 27: // EFBIG
		return fmt.Sprintf("the recording had reached its limit of %d MiB, or that of the system", maxFile>>20)
	case 28: // ENOSPC
		return "the disk was full"
	case 122: // EDQUOT
		return "the quota of the disk was used up"
	}
	return fmt.Sprintf("the recording could not be made longer (error %d of the system)", errno)
}

// Decode reads a type of the format from the beginning of data, which has to be
// long enough.
func Decode[T any](data []byte) (v T) {
	if _, err := binary.Decode(data, binary.LittleEndian, &v); err != nil {
		panic(err)
	}
	return v
}

// Split reads what a chunk begins with and returns the rest. Of a chunk that is too
// short for it, both are zero.
func Split[T any](chunk []byte) (v T, rest []byte) {
	if size := binary.Size(v); size <= len(chunk) {
		return Decode[T](chunk), chunk[size:]
	}
	return v, nil
}

// Chunks calls do for each chunk, which is at least 64 bytes long. It returns how
// many bytes they have together: less than there are if something is cut off.
func Chunks(data []byte, do func(kind uint32, chunk []byte)) (whole int) {
	for len(data)-whole >= chunkAlign {
		rest := data[whole:]
		size := int64(Decode[Chunk](rest).Size)
		if size < chunkAlign || size%chunkAlign != 0 || size > int64(len(rest)) {
			break
		}
		do(Decode[Chunk](rest).Type, rest[:size])
		whole += int(size)
	}
	return whole
}

// Texts reads the strings at the beginning of data that are length bytes together.
func Texts(data []byte, length uint32) []string {
	if length == 0 || int64(length) > int64(len(data)) {
		return nil
	}
	text, ended := bytes.CutSuffix(data[:length], []byte{0})
	if !ended {
		return nil
	}
	return strings.Split(strings.ToValidUTF8(string(text), "\uFFFD"), "\x00")
}

// Stack reads the triples of function, file and line that a stack is written
// as; nil if these are none.
func Stack(texts []string) []Frame {
	if len(texts)%3 != 0 {
		return nil
	}
	var stack []Frame
	for ; len(texts) > 0; texts = texts[3:] {
		line, err := strconv.Atoi(texts[2])
		if err != nil {
			line = 0
		}
		stack = append(stack, Frame{Func: texts[0], File: texts[1], Line: line})
	}
	return stack
}

// A Record is what one process recorded, of any kind.
type Record interface{ Of() Process }

// Of makes what holds a Process a Record.
func (p Process) Of() Process { return p }

// Command is how the process was started, as far as is known.
func (p Process) Command() []string {
	if p.Exe == "" {
		return []string{}
	}
	return []string{p.Exe}
}

// Running reports whether the process is still there.
func (p Process) Running() bool {
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", p.PID))
	return err == nil && p.Exe != "" && exe == p.Exe
}

// NotOne is the error of a Format for records of what: "a traced process".
func NotOne(what string) error { return errors.New("not the recording of " + what) }
