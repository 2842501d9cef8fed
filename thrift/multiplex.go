package thrift

import (
	"context"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
)

// Multiplexed answers calls of several services on the same connections, as
// Apache's multiplexed protocol has it: a call names its service, in front of
// the function. The keys are those names; calls that name none are for the
// service "". It must not be changed while it is in use.
type Multiplexed map[string]Processor

// Process hands the call to its service.
func (m Multiplexed) Process(ctx context.Context, c *Call) {
	full := c.Function
	name, function, named := strings.Cut(full, ":")
	if !named {
		name, function = "", full
		if c.stream != nil { // Kitex's clients name the service of a stream in its header
			if service := c.stream.head.Strings[idlService]; m[service] != nil {
				name = service
			}
		}
	}
	p := m[name]
	if p == nil {
		c.unknown("service", name)
		return
	}
	c.Function = function // answers name the function alone
	p.Process(ctx, c)
}

// Multiplex makes the calls of one service over a Caller that others share,
// for a server that tells services apart as [Multiplexed] does. service is the
// name that the server knows it by.
func Multiplex(over Caller, service string) Caller {
	return &multiplex{over: over, prefix: service + ":"}
}

type multiplex struct {
	over   Caller
	prefix string

	mu    sync.Mutex                        // of those who add a name
	names atomic.Pointer[map[string]string] // by function: the name on the wire, made once
}

func (m *multiplex) Call(ctx context.Context, function string, args, result Body) error {
	return m.over.Call(ctx, m.name(function), args, result)
}

// name is a function's name on the wire.
func (m *multiplex) name(function string) string {
	if known := m.names.Load(); known != nil {
		if name, ok := (*known)[function]; ok {
			return name
		}
	}
	name := m.prefix + function
	m.mu.Lock()
	defer m.mu.Unlock()
	all := map[string]string{}
	if known := m.names.Load(); known != nil {
		if len(*known) >= mostNames {
			return name
		}
		all = maps.Clone(*known)
	}
	all[function] = name
	m.names.Store(&all)
	return name
}

// mostNames is how many names are kept: a gateway may call what strangers ask for.
const mostNames = 256

// sameFunction reports whether an answer is that to a call of a function: the
// names of multiplexed services stand in calls, but not in answers.
func sameFunction(answer []byte, function string) bool {
	if string(answer) == function {
		return true
	}
	_, plain, multiplexed := strings.Cut(function, ":")
	return multiplexed && string(answer) == plain
}
