package thrift

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"sync"
	"time"
)

// Info travels beside a message, in the framings [TTHeader] and [THeader]: pairs with a string
// for a key, which are the programs' own, and, with a TTHeader alone, pairs with a number for one. The numbers have
// meanings that Kitex has given them, in its package transmeta: 3 is the caller's service,
// 6 the one that is called, 9 the function, 12 the time for the call in milliseconds.
type Info struct {
	Strings map[string]string
	Numbers map[uint16]string
}

// infoTimeout is the number of the time that a call may take, in milliseconds.
const infoTimeout = 12

type (
	sentInfoKey     struct{} // of an Info
	answerInfoKey   struct{} // of a *Info
	receivedInfoKey struct{} // of a *callContext
)

// WithInfo returns a context for calls that carry info. The maps must not be changed
// afterwards.
func WithInfo(ctx context.Context, info Info) context.Context {
	return context.WithValue(ctx, sentInfoKey{}, info)
}

// WithAnswerInfo returns a context for one call at a time, which leaves what came with its
// answer in info.
func WithAnswerInfo(ctx context.Context, info *Info) context.Context {
	return context.WithValue(ctx, answerInfoKey{}, info)
}

// ReceivedInfo returns what came with the call that a handler answers. Calls that the
// handler makes itself don't carry it.
func ReceivedInfo(ctx context.Context) Info {
	c, ok := ctx.Value(receivedInfoKey{}).(*callContext)
	if !ok {
		return Info{}
	}
	return c.info.parse()
}

// SetAnswerInfo has info go with the answer of the call that a handler answers, in place
// of what was set before. It fails if info is too large, or with [ErrNoInfo].
func SetAnswerInfo(ctx context.Context, info Info) error {
	c, ok := ctx.Value(receivedInfoKey{}).(*callContext)
	if !ok {
		return ErrNoInfo
	}
	b, err := info.appendFor(c.info.of, nil)
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.answer = b
	c.mu.Unlock()
	return nil
}

// ErrNoInfo is the error where a client can't be sent [Info]: it uses neither [TTHeader] nor
// [THeader].
var ErrNoInfo = errors.New("thrift: the client can't be sent info, since its call came without a TTHeader or THeader")

// sections are the info in a header, in the form of its framing.
type sections struct {
	b  []byte
	of Framing
}

// each goes over the pairs until yield is false.
func (s sections) each(yield func(pair) bool) error {
	if s.of == THeader {
		return eachTHeaderPair(s.b, yield)
	}
	return eachPair(s.b, yield)
}

// appendFor appends the info in the form of a framing.
func (info Info) appendFor(f Framing, b []byte) ([]byte, error) {
	if f == THeader {
		return info.appendTHeader(b)
	}
	return info.append(b)
}

// parse makes an Info of sections that were checked.
func (s sections) parse() (info Info) {
	_ = s.each(func(p pair) bool {
		switch {
		case p.numbered && info.Numbers == nil:
			info.Numbers = make(map[uint16]string)
		case !p.numbered && info.Strings == nil:
			info.Strings = make(map[string]string)
		}
		if p.numbered {
			info.Numbers[p.number] = string(p.value)
		} else {
			info.Strings[string(p.key)] = string(p.value)
		}
		return true
	})
	return info
}

// append appends the sections of a header. If they take too much it fails.
func (info Info) append(b []byte) (_ []byte, err error) {
	if size := info.size(); size > mostInfo {
		return b, fmt.Errorf("info of %d bytes is too large for the header of a message (at most %d)", size, mostInfo)
	}
	plain := len(info.Strings)
	if token, ok := info.Strings[tokenKey]; ok {
		plain--
		if b, err = appendShort(append(b, ttToken), token); err != nil {
			return b, err
		}
	}
	if plain > 0 {
		if b, err = appendCount(append(b, ttStrings), plain); err != nil {
			return b, err
		}
		for key, value := range info.Strings {
			if key == tokenKey {
				continue
			}
			if b, err = appendShort(b, key); err == nil {
				b, err = appendShort(b, value)
			}
			if err != nil {
				return b, err
			}
		}
	}
	if len(info.Numbers) == 0 {
		return b, nil
	}
	if b, err = appendCount(append(b, ttNumbers), len(info.Numbers)); err != nil {
		return b, err
	}
	for key, value := range info.Numbers {
		if b, err = appendShort(binary.BigEndian.AppendUint16(b, key), value); err != nil {
			return b, err
		}
	}
	return b, nil
}

// size is what the sections take at most.
func (info Info) size() int {
	n := 6
	for key, value := range info.Strings {
		n += 4 + len(key) + len(value)
	}
	for _, value := range info.Numbers {
		n += 4 + len(value)
	}
	return n
}

func appendCount(b []byte, n int) ([]byte, error) {
	if n > math.MaxUint16 {
		return b, fmt.Errorf("the info of a message has %d pairs of a kind, at most %d are possible", n, math.MaxUint16)
	}
	return binary.BigEndian.AppendUint16(b, uint16(n)), nil
}

func appendShort(b []byte, s string) ([]byte, error) {
	if len(s) > math.MaxUint16 {
		return b, fmt.Errorf("the info of a message has a string of %d bytes, at most %d are possible", len(s), math.MaxUint16)
	}
	return append(binary.BigEndian.AppendUint16(b, uint16(len(s))), s...), nil
}

// appendTimeout appends the section with the time for a call until its deadline, which is
// not 0, since that would be none.
func appendTimeout(b []byte, deadline time.Time) []byte {
	left := max(1, time.Until(deadline).Milliseconds())
	b = append(b, ttNumbers, 0, 1, 0, infoTimeout, 0, 0)
	start := len(b)
	b = strconv.AppendInt(b, left, 10)
	binary.BigEndian.PutUint16(b[start-2:], uint16(len(b)-start))
	return b
}

// A callContext is that of a call with a TTHeader.
type callContext struct {
	context.Context
	info sections // our own copy: the handler may have started goroutines that look at it later

	mu     sync.Mutex
	answer []byte // sections for the answer
}

// newCallContext makes the context of a call. It is the call's alone, since nobody knows
// when its handler stops using it, so it is an allocation or two for each call.
func newCallContext(ctx context.Context, info sections) (*callContext, context.CancelFunc) {
	cancel := func() {}
	if d := info.timeout(); d > 0 {
		ctx, cancel = context.WithTimeout(ctx, d)
	}
	return &callContext{Context: ctx, info: sections{append([]byte(nil), info.b...), info.of}}, cancel
}

// Value gives ReceivedInfo and SetAnswerInfo their call.
func (c *callContext) Value(key any) any {
	if key == (receivedInfoKey{}) {
		return c
	}
	return c.Context.Value(key)
}

// answerInfo is what goes with the answer.
func (c *callContext) answerInfo() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.answer
}

// timeout is the time that a caller gives its call; 0 if it doesn't, or says nothing
// that makes sense.
func (s sections) timeout() (d time.Duration) {
	_ = s.each(func(p pair) bool {
		if s.of == THeader && string(p.key) != thTimeout || s.of != THeader && (!p.numbered || p.number != infoTimeout) {
			return true
		}
		if ms, err := strconv.ParseInt(string(p.value), 10, 64); err == nil && ms > 0 && ms <= math.MaxInt64/int64(time.Millisecond) {
			d = time.Duration(ms) * time.Millisecond
		}
		return false
	})
	return d
}
