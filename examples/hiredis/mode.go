//go:build cgo && linux && seam_servers

package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/examples/hiredis/hiredis"
	"github.com/seamgo/seam/examples/internal/clients"
)

// A mode is how the functions of hiredis are run.
type mode struct {
	dial, command clients.Caller
	close         func()
}

// modes are the names of all, the default first.
var modes = []string{"executor", "floating", "locked", "cgo"}

func newMode(name string) (mode, error) {
	switch {
	case !slices.Contains(modes, name):
		return mode{}, fmt.Errorf("no mode %q: want %s", name, strings.Join(modes, ", "))
	case name == "floating":
		// See the package comment for why connections are not made so.
		return mode{coro.Locked.With(options).Call, coro.Floating.With(options).Call, func() {}}, nil
	}
	m, err := clients.NewMode(name, options, hiredis.Plain)
	return mode{m.Call, m.Call, m.Close}, err
}

var options = coro.Options{Name: "hiredis"}
