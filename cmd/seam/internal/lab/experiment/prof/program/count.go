//go:build prof_program

package main

import "C"

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"syscall"
)

func sysError(errno C.int) error { return syscall.Errno(errno) }

// samples counts those of a profile: the first value of each. Go writes two values one by one.
func samples(zipped []byte) (n int) {
	z, err := gzip.NewReader(bytes.NewReader(zipped))
	if err != nil {
		return 0
	}
	b, err := io.ReadAll(z)
	if err != nil {
		return 0
	}
	fields(b, func(field int, _ uint64, sample []byte) {
		if field != 2 {
			return
		}
		first := true
		fields(sample, func(field int, v uint64, packed []byte) {
			if field != 2 || !first {
				return
			}
			first = false
			if packed != nil {
				v, _ = binary.Uvarint(packed)
			}
			n += int(v)
		})
	})
	return n
}

// fields calls f with each field of a protobuf message.
func fields(b []byte, f func(field int, v uint64, bytes []byte)) {
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		v, m := binary.Uvarint(b[n:])
		b = b[n+m:]
		if tag&7 == 2 {
			f(int(tag>>3), 0, b[:v])
			b = b[v:]
		} else {
			f(int(tag>>3), v, nil)
		}
	}
}
