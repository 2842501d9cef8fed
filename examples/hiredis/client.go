//go:build cgo && linux && seam_servers

package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unsafe"

	"github.com/seamgo/seam/examples/hiredis/hiredis"
	"github.com/seamgo/seam/examples/internal/clients"
)

// A Client is a connection to Redis. It serves one call at a time.
type Client struct {
	call clients.Caller
	conn *hiredis.Context
}

// Dial connects to a server: host is an address, or the path of a Unix socket.
func Dial(ctx context.Context, m mode, host string, port int) (*Client, error) {
	c := &Client{call: m.command}
	var err error
	if ctx := hiredis.WithRunner(ctx, m.dial); strings.HasPrefix(host, "/") {
		c.conn, err = hiredis.ConnectUnix(ctx, host)
	} else {
		c.conn, err = hiredis.Connect(ctx, host, int32(port))
	}
	if err == nil {
		err = c.failure()
	}
	if err != nil {
		c.Close()
		return nil, fmt.Errorf("connecting to %s: %w", host, err)
	}
	return c, nil
}

// failure is what hiredis says has gone wrong.
func (c *Client) failure() error {
	switch conn := c.conn.Raw(); {
	case conn == nil:
		return errors.New("hiredis: the connection is closed")
	case conn.Err != 0:
		text, _, _ := strings.Cut(string(conn.Errstr[:]), "\x00")
		return errors.New("hiredis: " + text)
	}
	return nil
}

// Close frees the connection. It must not be used in another goroutine.
func (c *Client) Close() {
	if c.conn != nil {
		c.conn.Close()
	}
}

// errNil is the reply of a key that is not there, and of BLPOP after its timeout.
var errNil = errors.New("redis: nil")

// Do sends a command and returns the reply: a string, an int64 or a list of
// such. Its errors are errNil, what the server answered, and those of the
// connection, which is of no use then: also after ctx has ended, since the reply
// would be the next command's.
func (c *Client) Do(ctx context.Context, args ...string) (any, error) {
	if err := c.failure(); err != nil {
		return nil, err
	}
	argv, lengths := make([]*byte, len(args)), make([]uint64, len(args))
	for i, a := range args {
		argv[i], lengths[i] = unsafe.StringData(a), uint64(len(a))
	}
	r, err := c.conn.CommandArgv(hiredis.WithRunner(ctx, c.call), argv, lengths)
	if err != nil {
		return nil, err
	}
	if r == nil {
		return nil, c.failure()
	}
	defer hiredis.FreeReplyObject(r)
	return value((*hiredis.Reply)(r))
}

// Get returns the string under a key.
func (c *Client) Get(ctx context.Context, key string) (string, error) {
	v, err := c.Do(ctx, "GET", key)
	if err != nil {
		return "", err
	}
	return v.(string), nil
}

// Set puts a string under a key.
func (c *Client) Set(ctx context.Context, key, value string) error {
	_, err := c.Do(ctx, "SET", key, value)
	return err
}

// BLPop waits until there is something in the list under a key and takes it.
func (c *Client) BLPop(ctx context.Context, key string) (string, error) {
	v, err := c.Do(ctx, "BLPOP", key, "0")
	if err != nil {
		return "", err
	}
	pair, ok := v.([]any)
	if !ok || len(pair) != 2 || pair[0] != key {
		return "", fmt.Errorf("redis: BLPOP %s answers %v", key, v)
	}
	return pair[1].(string), nil
}

// value returns a reply as Go has it.
func value(r *hiredis.Reply) (any, error) {
	switch r.Type {
	case hiredis.REDIS_REPLY_STRING, hiredis.REDIS_REPLY_STATUS:
		return text(r), nil
	case hiredis.REDIS_REPLY_ERROR:
		return nil, errors.New("redis: " + text(r))
	case hiredis.REDIS_REPLY_INTEGER:
		return int64(r.Integer), nil
	case hiredis.REDIS_REPLY_NIL:
		return nil, errNil
	case hiredis.REDIS_REPLY_ARRAY:
		list := make([]any, r.Elements)
		for i, e := range unsafe.Slice(r.Element, r.Elements) {
			v, err := value(e)
			if err != nil && !errors.Is(err, errNil) {
				return nil, err
			}
			list[i] = v
		}
		return list, nil
	}
	return nil, fmt.Errorf("redis: a reply of type %d", r.Type)
}

func text(r *hiredis.Reply) string { return string(unsafe.Slice(r.Str, r.Len)) }
