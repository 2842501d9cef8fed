//go:build cgo && linux && seam_servers

package main

// #cgo CFLAGS: -O2 -Wall -Wextra -fstack-clash-protection -I${SRCDIR}/../../include
// #cgo LDFLAGS: -lhiredis
// #include <stdlib.h>
// #include "redis.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"unsafe"

	"github.com/seamgo/seam/examples/internal/clients"
)

// A Client is a connection to Redis. It serves one call at a time.
type Client struct {
	call clients.Caller
	conn *C.redisContext
}

// Dial connects to a server: host is an address, or the path of a Unix socket.
func Dial(ctx context.Context, m mode, host string, port int) (*Client, error) {
	d := (*C.struct_redis_dial)(C.calloc(1, C.sizeof_struct_redis_dial))
	defer C.free(unsafe.Pointer(d))
	d.host, d.port = C.CString(host), C.int(port)
	defer C.free(unsafe.Pointer(d.host))
	_, err := m.dial(ctx, unsafe.Pointer(C.redis_dial), unsafe.Pointer(d))
	c := &Client{m.command, d.conn}
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
	if c.conn == nil {
		return errors.New("hiredis: out of memory")
	}
	if c.conn.err != 0 {
		return errors.New("hiredis: " + C.GoString(&c.conn.errstr[0]))
	}
	return nil
}

// Close frees the connection. It must not be used in another goroutine.
func (c *Client) Close() {
	if c.conn != nil {
		C.redisFree(c.conn)
		c.conn = nil
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
	r := newRequest(c.conn, args)
	defer r.free()
	if _, err := c.call(ctx, unsafe.Pointer(C.redis_command), unsafe.Pointer(r)); err != nil {
		return nil, err
	}
	if r.reply == nil {
		return nil, c.failure()
	}
	defer C.freeReplyObject(unsafe.Pointer(r.reply))
	return value(r.reply)
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

// A request is a command in C's memory, where it stays while C waits.
type request C.struct_redis_command

func newRequest(conn *C.redisContext, args []string) *request {
	// One block: the request, the addresses, the lengths, the bytes.
	size := C.size_t(C.sizeof_struct_redis_command) + C.size_t(len(args))*(C.sizeof_size_t+C.size_t(unsafe.Sizeof(uintptr(0))))
	head := size
	for _, a := range args {
		size += C.size_t(len(a))
	}
	block := C.malloc(size)
	r := (*request)(block)
	*r = request{conn: conn, argc: C.int(len(args))}
	r.argv = (**C.char)(unsafe.Add(block, C.sizeof_struct_redis_command))
	r.argvlen = (*C.size_t)(unsafe.Add(unsafe.Pointer(r.argv), len(args)*int(unsafe.Sizeof(r.argv))))
	argv, lengths := unsafe.Slice(r.argv, len(args)), unsafe.Slice(r.argvlen, len(args))
	bytes := unsafe.Slice((*byte)(block), size)[head:]
	for i, a := range args {
		argv[i], lengths[i] = (*C.char)(unsafe.Pointer(unsafe.SliceData(bytes))), C.size_t(len(a))
		bytes = bytes[copy(bytes, a):]
	}
	return r
}

func (r *request) free() { C.free(unsafe.Pointer(r)) }

// value returns a reply as Go has it.
func value(r *C.redisReply) (any, error) {
	switch r._type {
	case C.REDIS_REPLY_STRING, C.REDIS_REPLY_STATUS:
		return text(r), nil
	case C.REDIS_REPLY_ERROR:
		return nil, errors.New("redis: " + text(r))
	case C.REDIS_REPLY_INTEGER:
		return int64(r.integer), nil
	case C.REDIS_REPLY_NIL:
		return nil, errNil
	case C.REDIS_REPLY_ARRAY:
		list := make([]any, r.elements)
		for i, e := range unsafe.Slice(r.element, r.elements) {
			v, err := value(e)
			if err != nil && !errors.Is(err, errNil) {
				return nil, err
			}
			list[i] = v
		}
		return list, nil
	}
	return nil, fmt.Errorf("redis: a reply of type %d", r._type)
}

func text(r *C.redisReply) string { return C.GoStringN(r.str, C.int(r.len)) }
