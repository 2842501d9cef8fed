package buffers

import (
	"fmt"
	"os"
	"sync"
)

// A job is what is done with two buffers, over and over. Each goroutine has one
// of its own, so that none waits for another's file.
type job struct {
	size int
	io   bool
	path string   // of the file that is read; with io
	null *os.File // what is written to; with io
	from []byte   // what a buffer is filled from; without io
	err  error    // the first that went wrong
	sum  byte     // keeps the compiler from leaving out the work
}

// source is what buffers are filled from in memory, the same for all.
var source = sync.OnceValue(func() []byte {
	b := make([]byte, sizes[len(sizes)-1])
	for i := range b {
		b[i] = byte(i * 131)
	}
	return b
})

// newJob opens what the job needs. The file that is read is the running
// program's own: it exists, it is in the page cache, and nothing is left
// behind however the process ends.
func newJob(size int, io bool) (*job, error) {
	j := &job{size: size, io: io}
	if !io {
		j.from = source()[:size]
		return j, nil
	}
	path, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find a file to read: %w", err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("find a file to read: %w", err)
	}
	if info.Size() < int64(size) {
		return nil, fmt.Errorf("%s has %d bytes, want %d to read", path, info.Size(), size)
	}
	j.path = path
	j.null, err = os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("open what is written to: %w", err)
	}
	return j, nil
}

func (j *job) close() {
	if j.null != nil {
		j.null.Close()
	}
}

// do is the published benchmark's work, with a file or without.
func (j *job) do(a, b []byte) {
	if j.io {
		j.file(a, b)
	} else {
		j.memory(a, b)
	}
}

// memory fills a, copies that to b and looks at it.
//
//go:noinline
func (j *job) memory(a, b []byte) {
	copy(a, j.from)
	copy(b, a)
	j.sum += consume(b)
}

// file reads the file into a, copies that to b and writes it to where nothing is
// kept.
//
//go:noinline
func (j *job) file(a, b []byte) {
	f, err := os.Open(j.path)
	if err != nil {
		j.fail(err)
		return
	}
	n, err := f.Read(a)
	if err == nil && n < len(a) {
		err = fmt.Errorf("read %d of %d bytes of %s", n, len(a), j.path)
	}
	if err != nil {
		f.Close()
		j.fail(err)
		return
	}
	copy(b, a)
	if _, err := j.null.Write(b); err != nil {
		j.fail(err)
	}
	if err := f.Close(); err != nil {
		j.fail(err)
	}
}

func (j *job) fail(err error) {
	if j.err == nil {
		j.err = err
	}
}

// consume reads each cache line of b, as a user of its content would.
func consume(b []byte) (sum byte) {
	for i := 0; i < len(b); i += 64 {
		sum += b[i]
	}
	return sum
}
