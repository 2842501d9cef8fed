// Package account tells where the resident memory of a process is: which part the C allocator
// has handed out, which it keeps, which is Go's, which belongs to stacks, files and mappings of
// nobody known.
//
// All of it is read from outside, in /proc: the process isn't stopped, and takes no part. What
// glibc's malloc holds is read from its chunks (glibc.go), and what is resident of that from
// the kernel's page map. Nothing is guessed: what has no evidence is listed as such.
package account

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// A Mapping is a piece of a process's address space, as /proc/PID/smaps has it.
type Mapping struct {
	Low, High uint64
	Perms     string // "rw-p"
	Offset    uint64 // of Path
	Path      string // a file, "[heap]", "[anon: Go: heap]", or "" if it is anonymous

	RSS, Anonymous, Huge, Swap uint64 // bytes
}

// Size is how many addresses it has.
func (m *Mapping) Size() uint64 { return m.High - m.Low }

// anonymous reports whether no file and no name belongs to it.
func (m *Mapping) anonymous() bool { return m.Path == "" }

// reserved reports whether nothing in it can be read or written.
func (m *Mapping) reserved() bool { return m.anonymous() && strings.HasPrefix(m.Perms, "---") }

// usable reports whether it is private memory without a name.
func (m *Mapping) usable() bool { return m.anonymous() && strings.HasPrefix(m.Perms, "rw") }

// parseSmaps reads /proc/PID/smaps.
func parseSmaps(r io.Reader) (list []Mapping, err error) {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 64<<10), 1<<20)
	for s.Scan() {
		line := s.Bytes()
		// Of a mapping's 24 lines few are of interest, and of mappings there may be thousands. An address
		// begins with a small letter or a digit.
		if len(line) == 0 || line[0] < 'A' || line[0] > 'Z' {
			m, err := parseHead(string(line))
			if err != nil {
				return nil, err
			}
			list = append(list, m)
			continue
		}
		if len(list) == 0 {
			return nil, fmt.Errorf("smaps begins with %q, which is no mapping", line)
		}
		name, rest, _ := bytes.Cut(line, []byte(":"))
		var to *uint64
		switch m := &list[len(list)-1]; string(name) {
		case "Rss":
			to = &m.RSS
		case "Anonymous":
			to = &m.Anonymous
		case "AnonHugePages":
			to = &m.Huge
		case "Swap":
			to = &m.Swap
		default:
			continue
		}
		kb, err := strconv.ParseUint(string(bytes.TrimSpace(bytes.TrimSuffix(rest, []byte("kB")))), 10, 54)
		if err != nil {
			return nil, fmt.Errorf("smaps has the line %q", line)
		}
		*to = kb << 10
	}
	return list, s.Err()
}

// parseHead reads the line of a mapping: "7f0649c9c000-7f0649c9d000 rw-p 00000000 fe:00 17  /lib/x".
func parseHead(line string) (m Mapping, err error) {
	fields := line
	next := func() (f string) {
		f, fields, _ = strings.Cut(strings.TrimLeft(fields, " "), " ")
		return f
	}
	low, high, found := strings.Cut(next(), "-")
	m.Perms = next()
	offset := next()
	next() // device
	next() // inode
	m.Path = strings.TrimLeft(fields, " ")
	for _, n := range []struct {
		text string
		to   *uint64
	}{{low, &m.Low}, {high, &m.High}, {offset, &m.Offset}} {
		if *n.to, err = strconv.ParseUint(n.text, 16, 64); err != nil {
			found = false
		}
	}
	if !found || m.High <= m.Low || len(m.Perms) != 4 {
		return m, fmt.Errorf("smaps has the line %q, which is no mapping", line)
	}
	return m, nil
}
