package thrift

import (
	"reflect"
	"sync"
)

// mostUsed is the size of the largest message whose arguments are used again. What larger ones
// leave would be kept, and cleared for each small message after it.
const mostUsed = 64 << 10

// NewArgs returns a place for the arguments of a call: with [Server.ReuseArgs], one that an
// earlier call has left. It goes back when the call was answered, but not if the handler
// panicked: a goroutine that it has started may be at work still. It is for generated code.
func NewArgs[T any](c *Call) *T {
	if !c.server.ReuseArgs || len(c.args) > mostUsed {
		return new(T)
	}
	of := reflect.TypeFor[T]()
	pool, ok := c.server.usedArgs.Load(of)
	if !ok {
		pool, _ = c.server.usedArgs.LoadOrStore(of, &sync.Pool{New: func() any { return new(T) }})
	}
	c.pool = pool.(*sync.Pool)
	args := c.pool.Get().(*T)
	c.usedArgs = args
	return args
}
