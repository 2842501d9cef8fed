// Package sqljson is what the methods Scan and Value are made of that seam gen writes for structs
// with the annotation seam.sql = "json": they are JSON in a column of a database.
package sqljson

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Value is the JSON of a struct for package database/sql, as encoding/json writes it.
func Value(p any) ([]byte, error) {
	b, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("thrift: %T as JSON for a database: %w", p, err)
	}
	return b, nil
}

// Scan reads a struct from what a column holds: JSON in bytes or in a string. Fields that the
// struct doesn't have are ignored, since a program with a newer Thrift file may have written
// them; those that are missing keep what they have in p.
func Scan(p any, column any) error {
	var b []byte
	switch v := column.(type) {
	case []byte:
		b = v
	case string:
		b = []byte(v)
	default:
		return fmt.Errorf("thrift: %T can't be read from a column of type %T: it has JSON as text or bytes", p, column)
	}
	if b = bytes.TrimSpace(b); len(b) == 0 || b[0] != '{' {
		return fmt.Errorf("thrift: %T can't be read from a column: what it has is no JSON object", p)
	}
	if err := json.Unmarshal(b, p); err != nil {
		return fmt.Errorf("thrift: %T from a column: %w", p, err)
	}
	return nil
}
