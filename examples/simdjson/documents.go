//go:build cgo && seam_libs

package main

import (
	"bytes"
	"fmt"
	"io"
)

const space = " \t\r\n"

// maxEmptyReads is how often a reader may give nothing and no error, as in package bufio.
const maxEmptyReads = 100

// eachDocument hands f one document after the other: the whole input when it begins with
// a bracket, else each line that is not empty. A document lies in a buffer that has
// [Padding] bytes more, so it is parsed where it was read to; f must not keep it. limit is
// the longest document.
func eachDocument(r io.Reader, limit int, f func(doc []byte) error) error {
	buf := make([]byte, 0, 64<<10)
	whole, started := false, false
	from, line, empty := 0, 1, 0 // before from, the buffer is done with
	for {
		room := cap(buf) - Padding - len(buf)
		if room == 0 {
			buf, from = buf[:copy(buf, buf[from:])], 0
			if len(buf) > limit {
				return fmt.Errorf("line %d: a document of more than %d bytes (-limit allows more)", line, limit)
			}
			if len(buf) > cap(buf)/2 {
				buf = append(make([]byte, 0, 2*cap(buf)), buf...)
			}
			continue
		}
		n, err := r.Read(buf[len(buf) : len(buf)+room])
		searched := len(buf)
		buf = buf[:len(buf)+n]
		if err != nil && err != io.EOF {
			return err
		}
		if empty++; n > 0 {
			empty = 0
		} else if err == nil && empty == maxEmptyReads {
			return io.ErrNoProgress
		}
		if !started {
			if i := bytes.IndexFunc(buf, func(r rune) bool { return !bytes.ContainsRune([]byte(space), r) }); i >= 0 {
				started, whole = true, buf[i] == '['
			}
		}
		for !whole && from < len(buf) {
			next, end := len(buf), len(buf)
			if i := bytes.IndexByte(buf[searched:], '\n'); i >= 0 {
				end = searched + i
				next = end + 1
			} else if err == nil {
				break // the rest of the line is still to come
			}
			if err := one(buf[from:end], limit, f); err != nil {
				return fmt.Errorf("line %d: %w", line, err)
			}
			from, searched, line = next, next, line+1
		}
		if err == io.EOF {
			if whole {
				return one(buf, limit, f)
			}
			return nil
		}
	}
}

// one hands over a document that is not empty.
func one(doc []byte, limit int, f func(doc []byte) error) error {
	if len(bytes.Trim(doc, space)) == 0 {
		return nil
	}
	if len(doc) > limit {
		return fmt.Errorf("a document of %d bytes; -limit is %d", len(doc), limit)
	}
	return f(doc)
}
