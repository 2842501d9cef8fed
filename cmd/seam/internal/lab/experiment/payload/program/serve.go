//go:build payload_program

package main

import (
	"io"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"sync"
)

// serve starts a server on loopback that answers messages at /via until the process
// ends.
var serve = sync.OnceValues(func() (int, error) {
	runtime.GOMAXPROCS(1) // it is given one CPU
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	mux := http.NewServeMux()
	for via := range ways {
		mux.Handle("/"+via, &handler{via: via})
	}
	go func() { _ = http.Serve(l, mux) }()
	return l.Addr().(*net.TCPAddr).Port, nil
})

// A handler answers messages in one way.
type handler struct {
	via  string
	free sync.Pool // of users
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := int(r.ContentLength)
	if n < 0 || n > limit {
		http.Error(w, "the message must tell its size, of "+strconv.Itoa(limit)+" bytes at most", http.StatusRequestEntityTooLarge)
		return
	}
	u, _ := h.free.Get().(user)
	if u == nil {
		var err error
		if u, err = newUser(h.via); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
	}
	defer func() {
		_ = u.close() // the answer is out: an error would be the program's own, and the next room would meet it too
		h.free.Put(u)
	}()
	in, err := u.room(n)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if _, err := io.ReadFull(r.Body, in); err != nil {
		return // the client is gone
	}
	out, err := u.do(in)
	if err != nil {
		http.Error(w, strings.TrimSpace(err.Error()), http.StatusBadRequest)
		return
	}
	w.Header()["Content-Type"] = jsonType
	w.Header()["Content-Length"] = []string{strconv.Itoa(len(out))}
	_, _ = w.Write(out) // an error: the client is gone
}

var jsonType = []string{"application/json"}
