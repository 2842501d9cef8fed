package thrifthttp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/seamgo/seam/thrift"
)

// ContentType is that of calls and answers, in all protocols.
const ContentType = "application/x-thrift"

// jsonType is what Apache's library for browsers says of calls in the JSON protocol. It gets
// an answer of that type.
const jsonType = "application/vnd.apache.thrift.json"

// Handler answers the calls that are posted to it by a server, which need not serve. What
// is not a message, or above Limits.Message, is refused by a status of HTTP; all else,
// errors of handlers too, is an answer with status 200, which for a oneway function is
// empty.
func Handler(s *thrift.Server) http.Handler { return &handler{s} }

type handler struct{ server *thrift.Server }

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "Thrift calls are posted", http.StatusMethodNotAllowed)
		return
	}
	msg, err := readAll(http.MaxBytesReader(w, r.Body, int64(limit(h.server.Decode.Limits))), r.ContentLength)
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		http.Error(w, fmt.Sprintf("the message has more than %d bytes (Limits.Message)", large.Limit), http.StatusRequestEntityTooLarge)
		return
	case err != nil:
		http.Error(w, "the message ends too early", http.StatusBadRequest)
		return
	}
	answer, err := h.server.Handle(r.Context(), msg, nil)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	answerType := ContentType
	if media, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); strings.TrimSpace(media) == jsonType {
		answerType = jsonType
	}
	w.Header().Set("Content-Type", answerType)
	_, _ = w.Write(answer) // if it fails the caller is gone
}

func limit(l thrift.Limits) int { return l.WithDefaults().Message }

// readAll reads all, into memory that grows with what arrives: a length that is claimed is
// believed as far as what net/http keeps for a connection anyway.
func readAll(r io.Reader, claimed int64) ([]byte, error) {
	var b bytes.Buffer
	if claimed > 0 {
		b.Grow(int(min(claimed, 4<<10)) + bytes.MinRead)
	}
	_, err := b.ReadFrom(r)
	return b.Bytes(), err
}
