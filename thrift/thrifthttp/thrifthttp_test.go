//seam:test race

package thrifthttp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seamgo/seam/thrift"
	"github.com/seamgo/seam/thrift/internal/kinds"
)

// service answers with what it got, or fails, or says nothing.
type service struct{ heard chan int32 }

func (s *service) Process(ctx context.Context, c *thrift.Call) {
	var p kinds.Point
	if c.Function == "oneway" {
		c.NoReply()
	}
	if !c.Args(&p) {
		return
	}
	switch c.Function {
	case "echo":
		c.Reply(&p)
	case "fail":
		c.Fail(errors.New("as told"))
	case "panic":
		panic("as told")
	case "wait":
		<-ctx.Done()
		c.Fail(ctx.Err())
	case "oneway":
		s.heard <- p.X
	default:
		c.UnknownFunction()
	}
}

func serve(t *testing.T, s *thrift.Server) string {
	s.Logger = slog.New(slog.DiscardHandler)
	h := httptest.NewServer(Handler(s))
	t.Cleanup(h.Close)
	return h.URL
}

func TestCalls(t *testing.T) {
	s := &service{make(chan int32, 1)}
	url := serve(t, &thrift.Server{Processor: s})
	for _, p := range []thrift.Protocol{thrift.Binary, thrift.OldBinary, thrift.Compact, thrift.JSON} {
		c := NewClient(url, Options{Protocol: p, Header: http.Header{"X-Who": {"me"}}})
		call := func(function string) (*kinds.Point, error) {
			got := new(kinds.Point)
			return got, c.Call(t.Context(), function, &kinds.Point{X: 3, Y: 4}, got)
		}
		if got, err := call("echo"); err != nil || !got.Equal(&kinds.Point{X: 3, Y: 4}) {
			t.Errorf("%v: %v, %v", p, got, err)
		}
		for function, want := range map[string]string{"fail": "as told", "panic": "internal error", "nothing": `unknown function "nothing"`} {
			var e *thrift.ApplicationException
			if _, err := call(function); !errors.As(err, &e) || !strings.Contains(e.Message, want) {
				t.Errorf("%s: %v", function, err)
			}
		}
		if err := c.Call(t.Context(), "oneway", &kinds.Point{X: 9}, nil); err != nil || <-s.heard != 9 {
			t.Errorf("oneway: %v", err)
		}
		short, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		if err := c.Call(short, "wait", &kinds.Point{}, new(kinds.Point)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("wait: %v", err)
		}
		cancel()
		if _, err := call("echo"); err != nil {
			t.Errorf("after a call that failed: %v", err)
		}
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for range 20 {
					if got, err := call("echo"); err != nil || got.X != 3 {
						t.Error(got, err)
					}
				}
			})
		}
		all.Wait()
	}
}

func TestHandlerRefuses(t *testing.T) {
	url := serve(t, &thrift.Server{Processor: &service{}, Decode: thrift.Options{Limits: thrift.Limits{Message: 1000}}})
	post := func(method string, body io.Reader) (int, string, http.Header) {
		t.Helper()
		r, err := http.NewRequest(method, url, body)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, _ := io.ReadAll(response.Body)
		return response.StatusCode, string(text), response.Header
	}
	if code, _, header := post("GET", nil); code != http.StatusMethodNotAllowed || header.Get("Allow") != "POST" {
		t.Errorf("GET: %d, %v", code, header)
	}
	for name, body := range map[string]string{"nothing": "", "no message": "hello, world", "half a header": "\x80\x01\x00\x01\x00\x00"} {
		if code, text, _ := post("POST", strings.NewReader(body)); code != http.StatusBadRequest || text == "" {
			t.Errorf("%s: %d %s", name, code, text)
		}
	}
	for name, body := range map[string]io.Reader{"long": bytes.NewReader(make([]byte, 1001)), "long, of unknown length": io.MultiReader(bytes.NewReader(make([]byte, 5000)))} {
		if code, text, _ := post("POST", body); code != http.StatusRequestEntityTooLarge || !strings.Contains(text, "more than 1000 bytes") {
			t.Errorf("%s: %d %s", name, code, text)
		}
	}
	// Half a message is an answer: the peer knows Thrift.
	msg := thrift.AppendMessageHeader(nil, thrift.Binary, "echo", thrift.CallMessage, 1)
	if code, _, header := post("POST", bytes.NewReader(msg)); code != http.StatusOK || header.Get("Content-Type") != ContentType {
		t.Errorf("half a message: %d", code)
	}
}

func TestClientRefuses(t *testing.T) {
	answers := map[string]http.HandlerFunc{
		"/503": func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, "come \xff back"+strings.Repeat(".", 999), http.StatusServiceUnavailable)
		},
		"/empty": func(http.ResponseWriter, *http.Request) {},
		"/words": func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "<html>not Thrift at all</html>") },
		"/long":  func(w http.ResponseWriter, r *http.Request) { w.Write(make([]byte, 2000)) },
		"/half": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "100")
			w.Write(make([]byte, 10))
		},
	}
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { answers[r.URL.Path](w, r) }))
	defer h.Close()
	for path, want := range map[string]string{
		"/503": "status 503 Service Unavailable: come ? back", "/empty": "the response is empty", "/words": "answer:",
		"/long": "more than 1000 bytes", "/half": "unexpected EOF",
	} {
		c := NewClient(h.URL+path, Options{Decode: thrift.Options{Limits: thrift.Limits{Message: 1000}}})
		err := c.Call(t.Context(), "echo", &kinds.Point{}, new(kinds.Point))
		if err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 400 {
			t.Errorf("%s: %v", path, err)
		}
		var status *StatusError
		if errors.As(err, &status) != (path == "/503") {
			t.Errorf("%s: %v is a StatusError", path, err)
		}
	}
	if err := NewClient("http://127.0.0.1:1/", Options{}).Call(t.Context(), "f", &kinds.Point{}, new(kinds.Point)); err == nil {
		t.Error("nobody answered, and there was no error")
	}
	if err := NewClient("://", Options{}).Call(t.Context(), "f", &kinds.Point{}, new(kinds.Point)); err == nil {
		t.Error("no URL, and no error")
	}
}

// Who claims much and sends nothing gets no memory for it.
func TestClaimsAreNotBelieved(t *testing.T) {
	for _, claimed := range []int64{-1, 0, 1, 5000, 1 << 20, 1 << 40} {
		got, err := readAll(strings.NewReader("abc"), claimed)
		if err != nil || string(got) != "abc" || cap(got) > 10<<10 {
			t.Errorf("%d claimed: %q, %v, %d bytes", claimed, got, err, cap(got))
		}
	}
	long := strings.Repeat("x", 100_000)
	if got, err := readAll(strings.NewReader(long), 10); err != nil || string(got) != long {
		t.Errorf("more than was claimed: %d bytes, %v", len(got), err)
	}
}

// What browsers send, with Apache's library for them.
func TestBrowsersPostJSON(t *testing.T) {
	url := serve(t, &thrift.Server{Processor: &service{}})
	for _, c := range []struct{ body, contentType, answer, answerType string }{
		{`[1,"echo",1,0,{"1":{"i32":3},"2":{"i32":4}}]`, "application/vnd.apache.thrift.json; charset=utf-8",
			`[1,"echo",2,0,{"1":{"i32":3},"2":{"i32":4}}]`, "application/vnd.apache.thrift.json"},
		{"[1,\"nothing\",1,7,{\"1\":{\"i32\":3},\"2\":{\"i32\":4}}]\n", "text/plain", `[1,"nothing",3,7,{"1":{"str":"unknown function \"nothing\""},"2":{"i32":1}}]`, ContentType},
		{`[1,"echo",1,7,{"1":{"i32":"three"}}]`, ContentType,
			`[1,"echo",3,7,{"1":{"str":"echo: arguments: Point.x: \"three\" is not a number of 32 bits at byte 12"},"2":{"i32":7}}]`, ContentType},
	} {
		response, err := http.Post(url, c.contentType, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || string(text) != c.answer || response.Header.Get("Content-Type") != c.answerType {
			t.Errorf("%s: %s of type %s, %v", c.body, text, response.Header.Get("Content-Type"), err)
		}
	}
	for _, body := range []string{"[1", `[2,"echo",1,0,{}]`, `["echo",1,0,{}]`, strings.Repeat("[", 1000)} {
		response, err := http.Post(url, ContentType, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusBadRequest {
			t.Errorf("%.20s: status %d", body, response.StatusCode)
		}
	}
}

// Peers that send half a request, or trickle it, hold one connection, until the http.Server's
// time for it is over; others are served meanwhile.
func TestSlowAndHalfOpenPeers(t *testing.T) {
	s := &thrift.Server{Processor: &service{}, Logger: slog.New(slog.DiscardHandler)}
	h := httptest.NewUnstartedServer(Handler(s))
	h.Config.ReadTimeout = 2 * time.Second // for the others too, on a busy machine
	h.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	h.Start()
	t.Cleanup(h.Close) // when the peers, which go on side by side, have ended
	body := `[1,"echo",1,0,{}]`
	for name, sent := range map[string]string{
		"nothing": "", "half a head": "POST / HT", "half a body": "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n" + body,
		"half a chunk": "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n[1,",
		"a lie":        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n" + body,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn, err := net.Dial("tcp", h.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if _, err := io.WriteString(conn, sent); err != nil {
				t.Fatal(err)
			}
			// A connection that was kept could end just when it is used: the time is over for it too.
			fresh := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
			c := NewClient(h.URL, Options{Protocol: thrift.JSON, HTTP: fresh})
			got := new(kinds.Point)
			if err := c.Call(t.Context(), "echo", &kinds.Point{X: 1}, got); err != nil || got.X != 1 {
				t.Errorf("another peer got %v, %v", got, err)
			}
			answer, err := io.ReadAll(conn) // to its end: the server has closed it
			if strings.Contains(string(answer), "200 OK") {
				t.Errorf("%q, %v", answer, err)
			}
		})
	}
}
