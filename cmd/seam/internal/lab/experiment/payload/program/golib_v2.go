//go:build payload_program && payload_v2

package main

import (
	"encoding/json/v2"
	"runtime"
)

func library() string { return "encoding/json/v2 of " + runtime.Version() }

func (c *codec) decode(in []byte) error { return json.Unmarshal(in, &c.order) }

func (c *codec) encode() (err error) {
	c.out, err = json.Marshal(&c.order)
	return err
}
