package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// maxBytes bounds what Decode reads; a trace of thousands of functions is far
// below it.
const maxBytes = 256 << 20

// Encode writes the trace as indented JSON.
func (f *File) Encode(w io.Writer) error {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(f); err != nil {
		return fmt.Errorf("write trace: %w", err)
	}
	_, err := w.Write(buf.Bytes())
	return err
}

// Read reads the trace in a file.
func Read(name string) (*File, error) {
	r, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	f, err := Decode(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}

// Decode reads a trace that Encode wrote. Fields that it doesn't know are from
// a later version of the same schema, and ignored.
func Decode(r io.Reader) (*File, error) { return decode(r, maxBytes) }

func decode(r io.Reader, most int64) (*File, error) {
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if err != nil {
		return nil, err
	}
	const make = "; make one with: seam trace -- go test"
	switch {
	case int64(len(data)) > most:
		return nil, fmt.Errorf("larger than %d MiB, which no trace is", most>>20)
	case len(bytes.TrimSpace(data)) == 0:
		return nil, errors.New("the file is empty" + make)
	case bytes.HasPrefix(data, []byte(rawMagic)):
		return nil, errors.New("this is the record of one process and not a trace; make one of it with: seam trace --collect")
	}
	var head struct {
		Schema    *json.RawMessage `json:"schema"`
		Functions *json.RawMessage `json:"functions"`
		Processes *json.RawMessage `json:"processes"`
	}
	var syntax *json.SyntaxError
	err = json.Unmarshal(data, &head)
	switch {
	case errors.As(err, &syntax) && syntax.Offset >= int64(len(data)) && bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")):
		return nil, errors.New("the file is cut off" + make)
	case err != nil:
		return nil, fmt.Errorf("not a trace of seam: %w%s", err, make)
	case head.Schema == nil || head.Functions == nil || head.Processes == nil:
		return nil, errors.New("not a trace of seam: it has no schema, processes or functions" + make)
	}
	version := 0
	if err := json.Unmarshal(*head.Schema, &version); err != nil {
		return nil, fmt.Errorf("not a trace of seam: its schema is %s%s", clip(*head.Schema), make)
	}
	if version != Schema {
		return nil, fmt.Errorf("a trace of schema %d, and this version of seam reads schema %d; trace again with this version", version, Schema)
	}
	f := &File{}
	if err := json.Unmarshal(data, f); err != nil {
		return nil, fmt.Errorf("not a whole trace: %w%s", err, make)
	}
	return f, f.check()
}

func clip(text []byte) string {
	if len(text) > 40 {
		text = append(text[:37:37], "..."...)
	}
	return fmt.Sprintf("%q", text)
}

// check finds values that don't fit together, so that those who work with a
// trace need no checks of their own.
func (f *File) check() error {
	seen := map[[2]string]bool{}
	for i := range f.Functions {
		x := &f.Functions[i]
		at := fmt.Sprintf("function %d (%s.%s)", i, x.Package, x.Name)
		switch key := [2]string{x.Package, x.Name}; {
		case x.Package == "" || x.Name == "":
			return fmt.Errorf("not a whole trace: function %d has no package or no name", i)
		case seen[key]:
			return fmt.Errorf("not a trace as seam writes it: %s is there twice", at)
		default:
			seen[key] = true
		}
		sum, last := x.Unfinished, uint64(0)
		for k, b := range x.Histogram {
			if k > 0 && b.UpToNS <= last || b.Calls > x.Calls {
				return fmt.Errorf("not a trace as seam writes it: %s: its histogram is not in order", at)
			}
			last = b.UpToNS
			sum += b.Calls
		}
		if sum != x.Calls {
			return fmt.Errorf("not a trace as seam writes it: %s: calls is %d, and its histogram and unfinished have %d", at, x.Calls, sum)
		}
		if x.CrossingNS < 0 {
			return fmt.Errorf("not a trace as seam writes it: %s: crossing_ns is negative", at)
		}
	}
	return nil
}
