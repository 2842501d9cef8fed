package limits

import (
	"context"
	"fmt"
	"math/bits"
	"runtime"
	"strconv"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/quantity"
)

const hostPlatform = runtime.GOOS + "/" + runtime.GOARCH

// overflow makes a stack overflow, and reads how the runtime says so.
func (t *toolchain) overflow(ctx context.Context, o *Options, path string, values map[string]Value) error {
	limit := values["max"].N
	if o.maxStack > 0 {
		limit = o.maxStack
	}
	if err := roomFor(limit, availableMemory()); err != nil {
		return err
	}
	var d death
	if err := t.runProgram(ctx, overflowTime, o, d.line, path, "overflow", strconv.FormatInt(o.maxStack, 10)); err != nil {
		return err
	}
	return d.values(limit, values)
}

// roomFor reports whether a stack may overflow on this machine. The largest one is the
// largest power of two below the limit; half of that is copied when it is made. available
// is 0 where the system doesn't tell.
func roomFor(limit, available int64) error {
	need := largestStack(limit)
	need += need / 4
	if available == 0 || need <= available {
		return nil
	}
	return fmt.Errorf("a stack of %s needs %s of memory and there are %s", quantity.Bytes(float64(largestStack(limit))),
		quantity.Bytes(float64(need)), quantity.Bytes(float64(available)))
}

// largestStack is the largest power of two up to n.
func largestStack(n int64) int64 {
	if n <= 0 {
		return 0
	}
	return 1 << (bits.Len64(uint64(n)) - 1)
}

// A death is what a program says whose stack overflows.
type death struct {
	frame, depth int64
	limit        int64 // as the runtime says
	stack        int64 // its size; 0: not told
	fatal        string
}

// line reads one line. What comes after the runtime's own message is a traceback.
func (d *death) line(text string) error {
	if d.fatal != "" {
		return nil
	}
	if key, numbers, ok := said(text); ok {
		switch {
		case key == "frame" && len(numbers) == 2 && numbers[0] == numbers[1]:
			d.frame = numbers[0]
			return nil
		case key == "depth" && len(numbers) == 1 && numbers[0] == d.depth+1:
			d.depth++
			return nil
		}
		return fmt.Errorf("the program said %q after depth %d", text, d.depth)
	}
	switch {
	case strings.HasPrefix(text, "fatal error: "):
		d.fatal = strings.TrimPrefix(text, "fatal error: ")
	case strings.HasPrefix(text, "runtime: goroutine stack exceeds "):
		number := strings.TrimSuffix(strings.TrimPrefix(text, "runtime: goroutine stack exceeds "), "-byte limit")
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return fmt.Errorf("the runtime's message is not understood: %q", text)
		}
		d.limit = n
	case strings.HasPrefix(text, "runtime: sp="):
		d.stack = stackSize(text)
	}
	return nil
}

// stackSize reads "runtime: sp=0xc020070148 stack=[0xc020060000, 0xc040060000]", which
// Go 1.14 brought; 0 if it is something else.
func stackSize(text string) int64 {
	_, bounds, ok := strings.Cut(text, " stack=[")
	lo, hi, ok2 := strings.Cut(strings.TrimSuffix(bounds, "]"), ", ")
	low, err := strconv.ParseUint(lo, 0, 64)
	high, err2 := strconv.ParseUint(hi, 0, 64)
	if !ok || !ok2 || err != nil || err2 != nil || high <= low || high-low > 1<<40 {
		return 0
	}
	return int64(high - low)
}

// values checks that the program died as it should.
func (d *death) values(limit int64, values map[string]Value) error {
	switch {
	case d.fatal == "":
		return fmt.Errorf("the program's stack did not overflow; it got to depth %d", d.depth)
	case d.fatal != "stack overflow":
		return fmt.Errorf("the program died of something else: %s", d.fatal)
	case d.limit != limit:
		return fmt.Errorf("the runtime's message has a limit of %d bytes, and debug.SetMaxStack of %d", d.limit, limit)
	case d.frame == 0 || d.depth == 0:
		return fmt.Errorf("the program's stack overflowed at depth %d with frames of %d bytes", d.depth, d.frame)
	case d.stack != 0 && d.depth*d.frame > d.stack:
		return fmt.Errorf("%d frames of %d bytes don't fit into a stack of %d", d.depth, d.frame, d.stack)
	}
	values["overflow_frames"] = Value{N: d.depth, Frame: d.frame}
	values["overflow_stack"] = Value{N: d.stack}
	if d.stack == 0 {
		values["overflow_stack"] = Value{Missing: "this Go's message does not tell the size of the stack"}
	}
	return nil
}
