package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

const (
	// maxBytes bounds what Decode reads; a report with everything full has some 60 MB.
	maxBytes = 128 << 20
	// maxObjects bounds how many objects it makes of them: an empty one has two bytes in
	// a file and 200 in memory.
	maxObjects = 2_000_000
	maxDepth   = 64
)

// Encode writes the report as indented JSON.
func (f *File) Encode(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	return enc.Encode(f)
}

// Read reads the report in a file.
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

// Decode reads a report that Encode wrote. Fields that it doesn't know are from a later
// version of the same schema, and ignored.
func Decode(r io.Reader) (*File, error) { return decode(r, maxBytes, maxObjects) }

func decode(r io.Reader, most int64, objects int) (*File, error) {
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if err != nil {
		return nil, err
	}
	const again = "; make one with: seam stack trace --json FILE -- go test"
	text := bytes.TrimSpace(data)
	switch {
	case int64(len(data)) > most:
		return nil, fmt.Errorf("larger than %d MiB, which no report is", most>>20)
	case len(text) == 0:
		return nil, errors.New("the file is empty" + again)
	case text[0] == '@':
		return nil, errors.New("this is a log of stacks and not a report; make one of it with: seam stack trace --read LOG PROGRAM")
	case bytes.Count(text, []byte{'{'})+bytes.Count(text, []byte("null")) > objects:
		return nil, fmt.Errorf("it has more than %d objects, which no report has", objects)
	}
	var head struct {
		Version   *json.RawMessage `json:"version"`
		Processes *json.RawMessage `json:"processes"`
		Growth    *json.RawMessage `json:"growth"`
	}
	var syntax *json.SyntaxError
	err = json.Unmarshal(text, &head)
	switch {
	case errors.As(err, &syntax) && syntax.Offset >= int64(len(text)) && text[0] == '{':
		return nil, errors.New("the file is cut off" + again)
	case err != nil:
		return nil, fmt.Errorf("not a report of seam stack trace: %w%s", err, again)
	case head.Version == nil || head.Processes == nil || head.Growth == nil:
		return nil, errors.New("not a report of seam stack trace: it has no version, processes or growth" + again)
	}
	version := 0
	if err := json.Unmarshal(*head.Version, &version); err != nil {
		return nil, fmt.Errorf("not a report of seam stack trace: its version is no number: %w%s", err, again)
	}
	if version != Version {
		return nil, fmt.Errorf("a report of version %d, and this seam reads version %d; trace again with this seam", version, Version)
	}
	f := &File{}
	if err := json.Unmarshal(text, f); err != nil {
		return nil, fmt.Errorf("not a whole report: %w%s", err, again)
	}
	if err := f.check(); err != nil {
		return nil, fmt.Errorf("not a report as seam writes it: %w", err)
	}
	return f, nil
}
