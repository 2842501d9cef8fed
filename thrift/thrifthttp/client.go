package thrifthttp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/seamgo/seam/thrift"
)

// Options are for a [Client]. The zero value stands for the defaults.
type Options struct {
	// HTTP makes the requests: its connections, proxies, TLS and time limits.
	// nil: http.DefaultClient.
	HTTP *http.Client
	// Header is sent with each request.
	Header http.Header
	// Protocol and Decode are as in [thrift.ClientOptions]. Decode.Limits.Message
	// also bounds how much of an answer is read.
	Protocol thrift.Protocol
	Decode   thrift.Options
}

// A Client is a [thrift.Caller] that posts calls to a URL. It is safe for use by several
// goroutines, whose calls don't wait for each other. A call that fails leaves it as it
// was.
type Client struct {
	url string
	opt Options
}

// NewClient makes a client of the service at a URL.
func NewClient(url string, opt Options) *Client {
	if opt.HTTP == nil {
		opt.HTTP = http.DefaultClient
	}
	return &Client{url: url, opt: opt}
}

// A StatusError is a response without an answer to a call.
type StatusError struct {
	Code int    // of HTTP
	Text string // the beginning of what the server wrote
}

// Error is the status, and what the server wrote.
func (e *StatusError) Error() string {
	text := fmt.Sprintf("thrifthttp: status %d %s", e.Code, http.StatusText(e.Code))
	if e.Text != "" {
		text += ": " + e.Text
	}
	return text
}

// Call posts a call. Where there was no answer the error wraps a [*StatusError] or what
// net/http says; others are those of [thrift.Client].
func (c *Client) Call(ctx context.Context, function string, args, result thrift.Body) error {
	one := thrift.NewClient(&exchange{client: c}, thrift.ClientOptions{Protocol: c.opt.Protocol, Decode: c.opt.Decode})
	return one.Call(ctx, function, args, result)
}

// An exchange is the transport of one call.
type exchange struct {
	client *Client
	answer []byte
}

func (e *exchange) WriteMessage(ctx context.Context, b []byte) error {
	opt := &e.client.opt
	// net/http may go on reading the body when Do has returned. The buffer is this call's alone.
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, e.client.url, bytes.NewReader(b[thrift.Headroom:]))
	if err != nil {
		return err
	}
	for key, values := range opt.Header {
		r.Header[key] = values
	}
	r.Header.Set("Content-Type", ContentType)
	r.Header.Set("Accept", ContentType)
	response, err := opt.HTTP.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(response.Body, 200))
		return &StatusError{response.StatusCode, strings.TrimSpace(strings.ToValidUTF8(string(text), "?"))}
	}
	most := int64(limit(opt.Decode.Limits))
	e.answer, err = readAll(io.LimitReader(response.Body, most+1), response.ContentLength)
	if err == nil && int64(len(e.answer)) > most {
		err = fmt.Errorf("answer has more than %d bytes (Limits.Message)", most)
	}
	return err
}

func (e *exchange) ReadMessage(context.Context) ([]byte, error) {
	if len(e.answer) == 0 {
		return nil, errors.New("the response is empty")
	}
	return e.answer, nil
}

func (e *exchange) Close() error { return nil }
