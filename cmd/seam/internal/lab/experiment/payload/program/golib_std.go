//go:build payload_program && payload_std

package main

import (
	"encoding/json"
	"runtime"
)

func library() string { return "encoding/json of " + runtime.Version() }

func (c *codec) decode(in []byte) error { return json.Unmarshal(in, &c.order) }

// Marshal, as programs do it: an Encoder with a buffer that is used again is no faster.
func (c *codec) encode() (err error) {
	c.out, err = json.Marshal(&c.order)
	return err
}
