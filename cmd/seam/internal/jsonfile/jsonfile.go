// Package jsonfile writes and reads the reports of verbs as JSON. What it reads may have
// been made by another version, cut off, changed by hand or be something else: it says
// which, with the place and what to do, and holds no more memory than the file is worth.
package jsonfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// Encode writes v as indented JSON. What can't be expressed, a NaN say, is an error, and
// nothing is written.
func Encode(w io.Writer, v any) error {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	_, err := w.Write(buf.Bytes())
	return err
}

// A Kind is a kind of file.
type Kind struct {
	Name    string   // with its article: "a trace of seam"
	Make    string   // the command that makes one
	Schema  string   // the field that tells the version: "schema"
	Version any      // what it must hold, an int or a string
	Has     []string // the other fields that each file has
	Bytes   int64    // no file is larger
	Objects int      // no file has more objects, of which an empty one has two bytes there and 200 in memory; 0: as many as fit

	// Other says what else a file is that is no JSON of this kind; nil where it is
	// nothing known.
	Other func(data []byte) error
}

// A Value is what a file is read into. Check finds values that don't fit together, so
// that those who work with it need no checks of their own.
type Value interface{ Check() error }

// Read reads the file.
func (k *Kind) Read(name string, v Value) error {
	r, err := os.Open(name)
	if err != nil {
		return err
	}
	defer r.Close()
	if err := k.Decode(r, v); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// Decode reads what [Encode] wrote. Fields that v doesn't know are from a later seam with
// the same version of the schema, and ignored.
func (k *Kind) Decode(r io.Reader, v Value) error {
	data, err := io.ReadAll(io.LimitReader(r, k.Bytes+1))
	if err != nil {
		return err
	}
	make := "; make one with: " + k.Make
	text := bytes.TrimSpace(data)
	switch {
	case int64(len(data)) > k.Bytes:
		return fmt.Errorf("not %s: it is larger than %d MiB", k.Name, k.Bytes>>20)
	case len(text) == 0:
		return errors.New("the file is empty" + make)
	}
	if k.Other != nil {
		if err := k.Other(text); err != nil {
			return err
		}
	}
	if k.Objects > 0 && bytes.Count(text, []byte{'{'})+bytes.Count(text, []byte("null")) > k.Objects {
		return fmt.Errorf("not %s: it has more than %d objects", k.Name, k.Objects)
	}
	// The version first: the rest of another one may not even fit the types.
	head := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &head); err != nil {
		if text[0] == '{' && cut(text, err) {
			return errors.New("the file is cut off" + make)
		}
		return fmt.Errorf("not %s: %w%s", k.Name, place(text, err), make)
	}
	if missing := k.missing(head); missing != "" {
		return fmt.Errorf("not %s: it has no %s%s", k.Name, missing, make)
	}
	if err := k.version(head[k.Schema]); err != nil {
		return err
	}
	if err := json.Unmarshal(text, v); err != nil {
		return fmt.Errorf("not %s: %w%s", k.Name, place(text, err), make)
	}
	if err := v.Check(); err != nil {
		return fmt.Errorf("not %s as seam writes it: %w", k.Name, err)
	}
	return nil
}

func (k *Kind) missing(head map[string]json.RawMessage) string {
	var none []string
	for _, name := range append([]string{k.Schema}, k.Has...) {
		if raw, ok := head[name]; !ok || string(raw) == "null" {
			none = append(none, name)
		}
	}
	return strings.Join(none, ", ")
}

func (k *Kind) version(raw json.RawMessage) error {
	want, err := json.Marshal(k.Version)
	if err != nil {
		return err
	}
	if string(raw) == string(want) {
		return nil
	}
	return fmt.Errorf("its %s is %s, and this version of seam reads %s; make it again with this version: %s", k.Schema, clip(raw), want, k.Make)
}

func clip(text []byte) string {
	if len(text) > 40 {
		text = append(text[:37:37], "..."...)
	}
	return fmt.Sprintf("%+q", text)
}

// cut reports whether JSON ends before it is at its end.
func cut(text []byte, err error) bool {
	var bad *json.SyntaxError
	return errors.As(err, &bad) && bad.Offset >= int64(len(text))
}

// place says where JSON is wrong.
func place(text []byte, err error) error {
	var bad *json.SyntaxError
	var kind *json.UnmarshalTypeError
	offset := int64(-1)
	switch {
	case errors.As(err, &bad):
		offset = bad.Offset
	case errors.As(err, &kind):
		offset = kind.Offset
	}
	if offset < 0 || offset > int64(len(text)) {
		return err
	}
	before := text[:offset]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := len(before) - (bytes.LastIndexByte(before, '\n') + 1)
	return fmt.Errorf("line %d, column %d: %w", line, max(1, column), err)
}
