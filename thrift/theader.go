package thrift

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"sync"
	"time"
)

// In front of a message in the framing [THeader], as Apache's libraries and Facebook's have it:
//
//	length      4 bytes: of all that follows
//	magic       2 bytes: 0F FF
//	flags       2 bytes
//	sequence    4 bytes
//	size        2 bytes: of the rest of the header, in words of 4 bytes
//	protocol    varint
//	transforms  varint: how many, and a varint for each: 1 is zlib
//	info        sections, padded with zeros to whole words:
//	            1, a count, as many pairs of a string and a string
//	            2, the same, for pairs that are handed on (Facebook's)
//
// Counts and lengths of strings are varints. See
// https://github.com/apache/thrift/blob/master/doc/specs/HeaderFormat.md
const (
	thMagic = 0x0FFF

	thZlib = 1 // a transform

	thPairs   = 1
	thOnwards = 2

	// thTimeout is the key of the time that a call may take, in milliseconds: Facebook's.
	thTimeout = "client_timeout"

	// least that is compressed: below, it doesn't get smaller.
	leastZlib = 128
	// mostUnpacked is how many times its size a compressed message may have, beyond 1 MB.
	mostUnpacked = 64
)

// An unpacker undoes the transforms of messages.
type unpacker struct {
	in   bytes.Reader
	zlib io.ReadCloser
	out  []byte
}

// parseTHeader is parse for this framing. max bounds what is compressed.
func (h *ttHeader) parseTHeader(b []byte, max int) (msg []byte, err error) {
	if len(b) < ttFixed {
		return nil, fmt.Errorf("bad THeader: %d bytes, it has %d at least", len(b), ttFixed)
	}
	magic, flags := binary.BigEndian.Uint16(b[4:]), binary.BigEndian.Uint16(b[6:])
	size := 4 * int(binary.BigEndian.Uint16(b[12:]))
	switch {
	case magic != thMagic:
		return nil, fmt.Errorf("bad THeader: magic %#04x, want %#04x", magic, thMagic)
	case size > len(b)-ttFixed:
		return nil, fmt.Errorf("bad THeader: it has %d bytes, in a message of %d", ttFixed+size, len(b))
	}
	h.seq = int32(binary.BigEndian.Uint32(b[8:]))
	h.setFlags(flags)
	rest := thReader{b[ttFixed : ttFixed+size]}
	protocol, ok := rest.number()
	transforms, ok2 := rest.number()
	switch {
	case !ok || !ok2:
		return nil, errors.New("bad THeader: it ends inside of a number")
	case protocol != ttBinary && protocol != ttCompact:
		return nil, fmt.Errorf("bad THeader: protocol %d; 0 and 2 are supported, binary and compact", protocol)
	case transforms > 1:
		return nil, fmt.Errorf("bad THeader: the message has %d transforms, at most one is supported", transforms)
	}
	h.protocol = byte(protocol)
	h.zlib = false
	if transforms == 1 {
		id, ok := rest.number()
		if !ok || id != thZlib {
			return nil, fmt.Errorf("bad THeader: the message has the transform %d, which is not supported; 1 is, zlib", id)
		}
		h.zlib = true
	}
	h.info = nil
	if err := eachTHeaderPair(rest.b, func(pair) bool {
		h.info = rest.b // it is not padding alone
		return true
	}); err != nil {
		return nil, err
	}
	msg = b[ttFixed+size : len(b) : len(b)]
	if h.zlib {
		if msg, err = h.unpack.message(msg, max); err != nil {
			return nil, fmt.Errorf("bad THeader: compressed message: %w", err)
		}
	}
	if len(msg) == 0 {
		return nil, errors.New("bad THeader: no message follows")
	}
	return msg, nil
}

// message undoes the compression of a message. The result is valid until the next one.
func (u *unpacker) message(b []byte, limit int) ([]byte, error) {
	most := int(min(int64(limit), unpackable(len(b))))
	u.in.Reset(b)
	var err error
	if u.zlib == nil {
		u.zlib, err = zlib.NewReader(&u.in)
	} else {
		err = u.zlib.(zlib.Resetter).Reset(&u.in, nil)
	}
	if err != nil {
		u.zlib = nil
		return nil, err
	}
	u.out = keep(u.out)
	for {
		if len(u.out) == cap(u.out) {
			u.out = append(u.out, 0)[:len(u.out)]
		}
		n, err := u.zlib.Read(u.out[len(u.out):cap(u.out)])
		u.out = u.out[:len(u.out)+n]
		switch {
		case len(u.out) > most:
			return nil, fmt.Errorf("it has more than %d bytes; %d compressed ones may have no more (64 times, 1 MB more, and Limits.Message)", most, len(b))
		case err == io.EOF && u.in.Len() != 0:
			return nil, fmt.Errorf("%d bytes follow it", u.in.Len())
		case err == io.EOF:
			return u.out, nil
		case err != nil:
			return nil, err
		}
	}
}

// unpackable is how long a message may be that has so many bytes when it is compressed.
func unpackable(n int) int64 { return mostUnpacked*int64(n) + 1<<20 }

// A thReader reads the rest of a header.
type thReader struct{ b []byte }

func (r *thReader) number() (n uint32, ok bool) {
	v, size := binary.Uvarint(r.b)
	if size <= 0 || v > math.MaxInt32 {
		return 0, false
	}
	r.b = r.b[size:]
	return uint32(v), true
}

func (r *thReader) text() (s []byte, ok bool) {
	n, ok := r.number()
	if !ok || int64(n) > int64(len(r.b)) {
		return nil, false
	}
	s, r.b = r.b[:n], r.b[n:]
	return s, true
}

// eachTHeaderPair is eachPair for this framing. It ends at what it doesn't know, as Apache's
// libraries do.
func eachTHeaderPair(info []byte, yield func(pair) bool) error {
	r := thReader{info}
	for len(r.b) > 0 {
		kind, ok := r.number()
		if ok && kind != thPairs && kind != thOnwards {
			return nil // padding, or something that is newer than we
		}
		n := uint32(0)
		if ok {
			n, ok = r.number()
		}
		for ; ok && n > 0; n-- {
			var p pair
			if p.key, ok = r.text(); ok {
				p.value, ok = r.text()
			}
			if ok && !yield(p) {
				return nil
			}
		}
		if !ok {
			return fmt.Errorf("bad THeader: a section of kind %d ends behind the header", kind)
		}
	}
	return nil
}

// appendTHeader appends the section of a header. It fails if it takes too much.
func (info Info) appendTHeader(b []byte) ([]byte, error) {
	if len(info.Numbers) > 0 {
		return b, errors.New("info with numbers for keys can't be sent with a THeader, only with a TTHeader")
	}
	if size := info.size() + 6*len(info.Strings); size > mostInfo {
		return b, fmt.Errorf("info of %d bytes is too large for the header of a message (at most %d)", size, mostInfo)
	}
	if len(info.Strings) == 0 {
		return b, nil
	}
	b = binary.AppendUvarint(append(b, thPairs), uint64(len(info.Strings)))
	for key, value := range info.Strings {
		b = appendTHeaderPair(b, key, value)
	}
	return b, nil
}

func appendTHeaderPair(b []byte, key, value string) []byte {
	b = append(binary.AppendUvarint(b, uint64(len(key))), key...)
	return append(binary.AppendUvarint(b, uint64(len(value))), value...)
}

// tHeaderFrame is ttFrame for this framing.
func tHeaderFrame(buf, msg []byte, h ttHeader) ([]byte, error) {
	msg = msg[Headroom:]
	b := append(buf[:0], 0, 0, 0, 0, thMagic>>8, thMagic&0xff, 0, h.flags())
	b = binary.BigEndian.AppendUint32(b, uint32(h.seq))
	b = append(b, 0, 0, h.protocol)
	var packed []byte
	if h.zlib && len(msg) >= leastZlib {
		if packed = appendZlib(nil, msg); int64(len(msg)) > unpackable(len(packed)) {
			packed = nil // nobody would believe it
		}
	}
	if packed != nil {
		b = append(b, 1, thZlib)
	} else {
		b = append(b, 0)
	}
	b = append(b, h.info...)
	if !h.deadline.IsZero() {
		left := max(1, time.Until(h.deadline).Milliseconds())
		b = appendTHeaderPair(append(b, thPairs, 1), thTimeout, strconv.FormatInt(left, 10))
	}
	for (len(b)-ttFixed)%4 != 0 {
		b = append(b, 0)
	}
	binary.BigEndian.PutUint16(b[12:], uint16((len(b)-ttFixed)/4))
	if packed != nil {
		msg = packed
	}
	b = append(b, msg...)
	if n := len(b) - 4; n > math.MaxInt32 {
		return b, fmt.Errorf("message of %d bytes is too long for a frame (at most %d)", n, math.MaxInt32)
	}
	binary.BigEndian.PutUint32(b, uint32(len(b)-4))
	return b, nil
}

// zlibWriters are those that are not in use: one takes a megabyte.
var zlibWriters = sync.Pool{New: func() any { return zlib.NewWriter(nil) }}

// appendZlib appends a message, compressed.
func appendZlib(b, msg []byte) []byte {
	out := bytes.NewBuffer(b)
	w := zlibWriters.Get().(*zlib.Writer)
	w.Reset(out)
	_, _ = w.Write(msg) // a bytes.Buffer takes all
	_ = w.Close()
	zlibWriters.Put(w)
	return out.Bytes()
}
