package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxBytes bounds what Decode reads. The largest run of the lab, --full with all
// experiments, is below a tenth of it.
const maxBytes = 256 << 20

// Encode writes the run as indented JSON of [Schema]. The same run gives the
// same bytes. A run that [Decode] would refuse, say because of a NaN, is an
// error, and nothing is written.
func (r *Run) Encode(w io.Writer) error {
	out := *r
	if out.Schema == "" {
		out.Schema = Schema
	}
	if out.Schema != Schema {
		return fmt.Errorf("write lab run: schema %q, want %q", out.Schema, Schema)
	}
	if out.Experiments == nil {
		out.Experiments = []Experiment{} // a list for readers in other languages, not null
	}
	if err := out.check(); err != nil {
		return fmt.Errorf("write lab run: %w", err)
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(&out); err != nil {
		return fmt.Errorf("write lab run: %w", err)
	}
	_, err := w.Write(buf.Bytes())
	return err
}

// Decode reads a run that [Run.Encode] wrote. It refuses other schema versions,
// input that was cut short, and values that don't fit together, so that what it
// returns can be drawn and compared without further checks. Fields that it does
// not know are from a later version of the same schema, and ignored.
func Decode(r io.Reader) (*Run, error) { return decode(r, maxBytes) }

func decode(r io.Reader, most int64) (*Run, error) {
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if err != nil {
		return nil, fmt.Errorf("read lab run: %w", err)
	}
	if int64(len(data)) > most {
		return nil, fmt.Errorf("read lab run: larger than %d MiB, which no run of seam lab is", most>>20)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, errors.New("read lab run: the input is empty; write one with seam lab --json FILE")
	}
	// The schema first: the rest of another version may not even fit the types.
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, syntax(data, err)
	}
	if err := checkSchema(head.Schema); err != nil {
		return nil, err
	}
	run := new(Run)
	if err := json.Unmarshal(data, run); err != nil {
		return nil, syntax(data, err)
	}
	if err := run.check(); err != nil {
		return nil, fmt.Errorf("read lab run: %w; the file was changed after seam lab wrote it", err)
	}
	return run, nil
}

func checkSchema(schema string) error {
	switch {
	case schema == Schema:
		return nil
	case schema == "":
		return fmt.Errorf("read lab run: JSON without a schema, want %q; write one with seam lab --json FILE", Schema)
	case strings.HasPrefix(schema, "seam.lab/"):
		return fmt.Errorf("read lab run: schema %.40q, want %q; measure again with this seam, or read it with the seam that wrote it",
			schema, Schema)
	}
	return fmt.Errorf("read lab run: schema %.40q, want %q; this is not a run of seam lab", schema, Schema)
}

// syntax says where the JSON is wrong, and whether it only stops too early.
func syntax(data []byte, err error) error {
	var bad *json.SyntaxError
	var kind *json.UnmarshalTypeError
	offset := int64(-1)
	switch {
	case errors.As(err, &bad):
		offset = bad.Offset
	case errors.As(err, &kind):
		offset = kind.Offset
	}
	if bad != nil && offset >= int64(len(data)) {
		return errors.New("read lab run: the JSON ends too early; the file was cut short, measure again")
	}
	if offset < 0 || offset > int64(len(data)) {
		return fmt.Errorf("read lab run: %w", err)
	}
	before := data[:offset]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := len(before) - (bytes.LastIndexByte(before, '\n') + 1)
	return fmt.Errorf("read lab run: line %d, column %d: %w", line, max(1, column), err)
}
