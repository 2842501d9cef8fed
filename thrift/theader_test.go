package thrift

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestTHeaderInfo(t *testing.T) {
	type received struct {
		info Info
		left time.Duration
	}
	seen := make(chan received, 1)
	address := serve(t, &Server{Processor: functions{"echo": func(ctx context.Context, s string) (string, error) {
		r := received{info: ReceivedInfo(ctx)}
		if d, ok := ctx.Deadline(); ok {
			r.left = time.Until(d)
		}
		seen <- r
		return s, SetAnswerInfo(ctx, Info{Strings: map[string]string{"answer": strings.Repeat("y", 100_000)}})
	}}})
	for _, compressed := range []bool{false, true} {
		conn, err := Dial(t.Context(), "tcp", address, ConnOptions{Framing: THeader, Zlib: compressed})
		if err != nil {
			t.Fatal(err)
		}
		c := NewClient(conn, ClientOptions{Protocol: Compact})
		defer c.Close()
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		for _, text := range []string{"", "short", strings.Repeat("long ", 100_000), strings.Repeat("x", 3<<20)} {
			var answer Info
			sent := Info{Strings: map[string]string{"key": "value", "": "", "long": strings.Repeat("x", 70_000)}}
			got, err := call(WithAnswerInfo(WithInfo(ctx, sent), &answer), c, "echo", text)
			if got != text || err != nil {
				t.Fatalf("%d bytes come back of %d, %v", len(got), len(text), err)
			}
			r := <-seen
			delete(r.info.Strings, thTimeout)
			if !sameInfo(r.info, sent) || r.left < 30*time.Minute || r.left > time.Hour {
				t.Errorf("the handler got %d pairs, with %v left", len(r.info.Strings), r.left)
			}
			if len(answer.Strings["answer"]) != 100_000 {
				t.Errorf("the client got %d pairs", len(answer.Strings))
			}
		}
	}
	for what, info := range map[string]Info{
		"numbers": {Numbers: map[uint16]string{1: "x"}},
		"large":   {Strings: map[string]string{"key": strings.Repeat("x", 300_000)}},
	} {
		if _, err := call(WithInfo(t.Context(), info), dial(t, address, THeader, Binary), "echo", ""); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// zipped is a message with a THeader that says that it is compressed.
func zipped(payload []byte) []byte {
	b := []byte{0, 0, 0, 0, 0x0F, 0xFF, 0, 0, 0, 0, 0, 1, 0, 1, ttBinary, 1, thZlib, 0}
	b = append(b, payload...)
	binary.BigEndian.PutUint32(b, uint32(len(b)-4))
	return b
}

func deflate(b []byte) []byte {
	var out bytes.Buffer
	w, _ := zlib.NewWriterLevel(&out, zlib.DefaultCompression)
	_, _ = w.Write(b)
	_ = w.Close()
	return out.Bytes()
}

// A message that unpacks to far more than it is takes no more memory than it may.
func TestZipBomb(t *testing.T) {
	bomb := zipped(deflate(make([]byte, 8<<20)))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var h ttHeader
	_, err := h.parseTHeader(bomb, DefaultMessage)
	runtime.ReadMemStats(&after)
	if err == nil || !strings.Contains(err.Error(), "64 times") {
		t.Errorf("%d bytes that unpack to 8 MB: %v", len(bomb), err)
	}
	// A buffer that grows takes what it had before, too.
	if got, most := after.TotalAlloc-before.TotalAlloc, uint64(6*unpackable(len(bomb))); got > most {
		t.Errorf("%d bytes allocate %d, more than %d", len(bomb), got, most)
	}
	wantRefused(t, bomb, "64 times")
}

func TestBadTHeaders(t *testing.T) {
	good := request(THeader, Binary, CallMessage, "echo", "x", 1)
	head := func(rest ...byte) []byte {
		for len(rest)%4 != 0 {
			rest = append(rest, 0)
		}
		b := append([]byte{0, 0, 0, 0, 0x0F, 0xFF, 0, 0, 0, 0, 0, 1, 0, byte(len(rest) / 4)}, rest...)
		b = append(b, good[18:]...)
		binary.BigEndian.PutUint32(b, uint32(len(b)-4))
		return b
	}
	for want, b := range map[string][]byte{
		"18 bytes, in a message": append(append([]byte{0, 0, 0, 10}, good[4:12]...), 0, 1),
		"inside of a number":     head(0x80, 0x80, 0x80, 0x80),
		"protocol 1":             head(1, 0),
		"protocol 5":             head(5, 0),
		"2 transforms":           head(0, 2, 1, 1),
		"transform 3":            head(0, 1, 3),
		"ends behind the header": head(0, 0, 1, 1, 200),
		"of kind 2":              head(0, 0, 2, 0xff, 0xff, 0xff, 0xff, 7),
		"no message":             append([]byte{0, 0, 0, 14}, append(bytes.Clone(good[4:13]), 1, 0, 0, 0, 0)...),
		"compressed message":     head(0, 1, 1),
		"1 bytes follow it":      zipped(append(deflate(good[18:]), 0)),
		"unexpected EOF":         zipped(deflate(good[18:])[:20]),
	} {
		var h ttHeader
		if _, err := h.parseTHeader(b, DefaultMessage); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	// A section that is newer than we ends the info, and nothing else.
	for _, b := range [][]byte{good, head(0, 0, 9, 200, 1), head(0, 0), head(2, 0, 1, 1, 1, 'k', 1, 'v'), zipped(deflate(good[18:]))} {
		var h ttHeader
		if msg, err := h.parseTHeader(b, DefaultMessage); err != nil || !bytes.Equal(msg, good[18:]) {
			t.Errorf("% x: %v", b, err)
		}
	}
	// Any change of a byte is an error or another message, never a panic.
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		b := zipped(deflate(good[18:]))
		if r.IntN(2) == 0 {
			b = head(0, 0, 1, 2, 1, 'k', 1, 'v', 0, 0)
		}
		for range 1 + r.IntN(3) {
			b[r.IntN(len(b))] = byte(r.Uint32())
		}
		var h ttHeader
		if _, err := h.parseTHeader(b, DefaultMessage); err == nil {
			_ = sections{h.info, THeader}.parse()
		}
	}
}

func FuzzTHeader(f *testing.F) {
	f.Add(request(THeader, Binary, CallMessage, "echo", "x", 1))
	f.Add(zipped(deflate(request(THeader, Compact, CallMessage, "echo", "x", 1)[18:])))
	info, _ := Info{Strings: map[string]string{"k": "v", "": ""}}.appendTHeader(nil)
	b, _ := tHeaderFrame(nil, append(make([]byte, Headroom), "message"...), ttHeader{seq: 7, protocol: ttCompact, info: info, deadline: time.Now().Add(time.Hour)})
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		var h ttHeader
		msg, err := h.parseTHeader(b, 1<<20)
		if err != nil {
			return
		}
		if len(msg) == 0 || len(msg) > 1<<20 || int64(len(msg)) > unpackable(len(b)) {
			t.Fatalf("%d bytes become %d", len(b), len(msg))
		}
		info := sections{h.info, THeader}.parse()
		again, err := info.appendTHeader(nil)
		if err != nil {
			return // its lengths were written in fewer bytes
		}
		out, err := tHeaderFrame(nil, append(make([]byte, Headroom), msg...), ttHeader{seq: h.seq, protocol: h.protocol, zlib: h.zlib, info: again})
		if err != nil {
			t.Fatal(err)
		}
		var second ttHeader
		msg2, err := second.parseTHeader(out, 1<<20)
		if err != nil || !bytes.Equal(msg, msg2) || !sameInfo(sections{second.info, THeader}.parse(), info) {
			t.Fatalf("written again: %v", err)
		}
	})
}
