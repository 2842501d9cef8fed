//go:build cgo && linux && seam_servers

package main

import (
	"github.com/seamgo/seam/coro"
	"github.com/seamgo/seam/examples/internal/clients"
	"github.com/seamgo/seam/examples/libpq/libpq"
)

// stackSize has room for what was measured: 20 KB without and 12 KB with TLS, as
// coro.ReadStats has it (HighWater).
const stackSize = 64 << 10

var options = coro.Options{Name: "libpq", StackSize: stackSize}

func newMode(name string) (clients.Mode, error) {
	return clients.NewMode(name, options, libpq.Plain)
}
