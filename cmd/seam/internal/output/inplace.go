package output

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// openInPlace opens what is there. It never waits: a named pipe without a
// reader is an error (see noReader).
func (t *target) openInPlace() (*os.File, error) {
	// Appending, since a descriptor may be a file that holds earlier output.
	f, err := os.OpenFile(t.asked, os.O_WRONLY|os.O_APPEND|nonBlocking, 0)
	if err != nil {
		return nil, fmt.Errorf("cannot write %s: %w", t.asked, Bare(err))
	}
	return f, nil
}

// waits reports whether err only means that the reader has yet to come. The pipe
// behind a descriptor has no name that one could come by.
func (t *target) waits(err error) bool { return t.pipe && !t.descriptor && noReader(err) }

func (t *target) checkInPlace() error {
	if t.pipe && !t.descriptor {
		// Opening it would show a reader that waits already the end of the file.
		// Only the permission can be asked for.
		if err := mayWrite(t.asked); err != nil {
			return fmt.Errorf("cannot write %s: %w", t.asked, err)
		}
		return nil
	}
	f, err := t.openInPlace()
	if err != nil {
		return err
	}
	return f.Close()
}

// retry is how long a named pipe is left alone before the next look for a
// reader.
const retry = 50 * time.Millisecond

func (w Writer) inPlace(ctx context.Context, t *target, write func(io.Writer) error) error {
	var buf bytes.Buffer
	if err := write(&buf); err != nil {
		return fmt.Errorf("cannot write %s: %w", t.asked, err)
	}
	f, err := t.openInPlace()
	if t.waits(err) && ctx.Err() == nil {
		fmt.Fprintf(w.Stderr, "seam: waiting for a reader of %s\n", t.asked)
		for t.waits(err) && ctx.Err() == nil {
			select {
			case <-ctx.Done():
			case <-time.After(retry):
			}
			f, err = t.openInPlace()
		}
	}
	if t.waits(err) {
		return fmt.Errorf("cannot write %s: nobody reads from this pipe", t.asked)
	}
	if err != nil {
		return err
	}
	// A reader may stop reading. Where ctx has ended before, the user has been
	// told that the next Ctrl-C ends the program.
	if ctx.Err() == nil {
		stop := context.AfterFunc(ctx, func() { _ = f.SetWriteDeadline(time.Unix(1, 0)) })
		defer stop()
	}
	_, err = f.Write(buf.Bytes())
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = errors.New("interrupted: its reader stopped reading")
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("cannot write %s: %w", t.asked, Bare(err))
	}
	return nil
}
