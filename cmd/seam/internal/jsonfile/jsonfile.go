// Package jsonfile writes and reads the JSON files of seam. The first field of each is
// schema, which names what the file is and the version of its format: "seam.trace/1".
//
// What it reads may come from another version, be cut off, edited by hand or something
// else entirely: the error says which, where, and what to do about it, and reading takes
// memory in proportion to the file.
package jsonfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// A Kind is a kind of file.
type Kind struct {
	Schema string // "seam.trace/1"; the number is raised when a field changes its meaning

	// What follows is for reading.

	Name    string   // with its article: "a trace of seam"
	Make    string   // the command that makes one
	Has     []string // fields that every file has
	Bytes   int64    // no file is larger
	Objects int      // or has more objects and values in lists, each of which takes two bytes there and may take 200 in memory; 0: no limit
	Entries int      // or has more in one of the lists that are its fields, for files where these are few and large; 0: no limit
	Number  string   // the field of files of version 1 that has a 1 and no schema as above; "" if there are none

	// Other recognises other files of ours that are passed by mistake, and says what
	// they are. It may be nil.
	Other func(data []byte) error
}

// Encode writes v, a struct, as indented JSON with the schema before its fields. If v
// can't be expressed, say because of a NaN, it fails and writes nothing.
func (k *Kind) Encode(w io.Writer, v any) error {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	fields, ok := bytes.CutPrefix(buf.Bytes(), []byte("{\n"))
	if !ok {
		return fmt.Errorf("write JSON: %T is not a struct with fields", v)
	}
	_, err := fmt.Fprintf(w, "{\n \"schema\": %q,\n%s", k.Schema, fields)
	return err
}

// A Value is what a file is read into. Check finds values that contradict each other, so
// that code that works with it needs no checks of its own.
type Value interface{ Check() error }

// Read reads a file of a kind.
func Read[T any, P interface {
	*T
	Value
}](k *Kind, name string) (P, error) {
	r, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	v := P(new(T))
	if err := k.Decode(r, v); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return v, nil
}

// Decode reads what [Kind.Encode] wrote, now or in an earlier version. Fields that v
// doesn't know come from a later version that kept the schema, and are ignored.
func (k *Kind) Decode(r io.Reader, v Value) error {
	var all bytes.Buffer
	if f, ok := r.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			all.Grow(int(min(info.Size(), k.Bytes)) + bytes.MinRead) // at once: growing copies
		}
	}
	if _, err := all.ReadFrom(io.LimitReader(r, k.Bytes+1)); err != nil {
		return err
	}
	data := all.Bytes()
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
	// The schema first: with another one the rest may not even fit the types.
	if err := json.Unmarshal(text, &struct{}{}); err != nil {
		if text[0] == '{' && cut(text, err) {
			return errors.New("the file is cut off" + make)
		}
		return fmt.Errorf("not %s: %w%s", k.Name, place(text, err), make)
	}
	head, values, entries := scan(text, append([]string{"schema", k.Number}, k.Has...))
	switch {
	case k.Objects > 0 && values > k.Objects:
		return fmt.Errorf("not %s: it has more than %d objects", k.Name, k.Objects)
	case k.Entries > 0 && entries > k.Entries:
		return fmt.Errorf("not %s: it has a list of more than %d", k.Name, k.Entries)
	}
	if err := k.check(head); err != nil {
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

// check finds out from its fields whether a file is of this kind and version.
func (k *Kind) check(head map[string]json.RawMessage) error {
	var schema string
	_ = json.Unmarshal(head["schema"], &schema) // of other types is what Number is for
	name, _, _ := strings.Cut(k.Schema, "/")
	switch {
	case schema == k.Schema:
	case k.Number != "" && string(bytes.TrimSpace(head[k.Number])) == "1":
	case strings.HasPrefix(schema, name+"/"):
		return fmt.Errorf("its schema is %+.40q, and this version of seam reads %q; make it again with this version: %s", schema, k.Schema, k.Make)
	case schema != "":
		return fmt.Errorf("not %s: its schema is %+.40q, not %q; make one with: %s", k.Name, schema, k.Schema, k.Make)
	default:
		return fmt.Errorf("not %s: it has no schema; make one with: %s", k.Name, k.Make)
	}
	missing := slices.DeleteFunc(slices.Clone(k.Has), func(name string) bool {
		raw, ok := head[name]
		return ok && string(bytes.TrimSpace(raw)) != "null"
	})
	if len(missing) > 0 {
		return fmt.Errorf("not %s: it has no %s; make one with: %s", k.Name, strings.Join(missing, ", "), k.Make)
	}
	return nil
}

func cut(text []byte, err error) bool {
	var bad *json.SyntaxError
	return errors.As(err, &bad) && bad.Offset >= int64(len(text))
}

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
