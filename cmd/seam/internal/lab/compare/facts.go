package compare

import (
	"bufio"
	"bytes"
	"io"

	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

// A factReader turns the comments in which the lab writes what it knows about
// a run into configuration lines, for the reader of the format behind it.
type factReader struct {
	in   *bufio.Reader
	rest []byte
}

func (r *factReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		line, err := r.in.ReadBytes('\n')
		if len(line) == 0 {
			return 0, err
		}
		r.rest = bytes.TrimPrefix(line, []byte(result.FactPrefix))
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

var _ io.Reader = (*factReader)(nil)
