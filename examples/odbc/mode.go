//go:build cgo && linux && seam_servers

package main

import (
	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/examples/internal/clients"
	"github.com/seamgo/seam/examples/odbc/odbc"
)

// stackSize has room for what was measured: 69 KB, when unixODBC loads the driver.
const stackSize = 256 << 10

var options = coro.Options{Name: "odbc", StackSize: stackSize}

func newMode(name string) (clients.Mode, error) {
	return clients.NewMode(name, options, odbc.Plain)
}
