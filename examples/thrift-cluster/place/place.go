// Package place runs the Orders service in one of four places, and calls it there: in the
// same process, on a Unix socket, over TCP, or on a cluster. One line says which:
//
//	here                         in this process
//	unix:/run/orders.sock        seam's own server on a Unix socket
//	tcp:localhost:9090           seam's own server over TCP
//	cluster:etcd1:2379,etcd2:2379  Kitex servers, found through etcd
//
// The handler and the caller don't know: both are an orders.Orders. Errors are the same in
// each place as well: the exceptions that a function declares, an error that wraps
// context.DeadlineExceeded or context.Canceled, a *thrift.ApplicationException for what
// else the handler says, and [Unreachable] where nobody has answered. One thing differs: here a
// handler runs on its caller's goroutine and with its context, so a call ends no sooner than
// the handler does.
package place

import (
	"fmt"
	"strings"
)

// A Place is where the service runs.
type Place struct {
	network string   // here, unix, tcp or cluster
	address string   // unix, tcp
	etcd    []string // cluster
}

// Parse reads the line that says where.
func Parse(line string) (Place, error) {
	network, address, _ := strings.Cut(strings.TrimSpace(line), ":")
	switch {
	case network == "here" && address == "":
		return Place{network: network}, nil
	case (network == "unix" || network == "tcp") && address != "":
		return Place{network: network, address: address}, nil
	case network == "cluster" && address != "":
		return Place{network: network, etcd: strings.Split(address, ",")}, nil
	}
	return Place{}, fmt.Errorf("no such place: %q; want here, unix:PATH, tcp:HOST:PORT or cluster:ETCD,…", line)
}

// String is the line.
func (p Place) String() string {
	switch p.network {
	case "here":
		return p.network
	case "cluster":
		return p.network + ":" + strings.Join(p.etcd, ",")
	}
	return p.network + ":" + p.address
}
