package mem_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/seamgo/seam/mem"
)

func TestEveryReasonIsOneSentinel(t *testing.T) {
	sentinels := []error{mem.ErrInvalid, mem.ErrReleased, mem.ErrLimit, mem.ErrExhausted, mem.ErrBusy, mem.ErrClosed, mem.ErrCorrupt}
	for want, reasons := range map[error][]error{
		mem.ErrInvalid: {mem.ErrNil, mem.ErrNegative, mem.ErrLength, mem.ErrNeed, mem.ErrSize, mem.ErrAlign,
			mem.ErrOverflow, mem.ErrRange, mem.ErrType, mem.ErrChanged, mem.ErrHandle},
		mem.ErrReleased: {mem.ErrStale},
		mem.ErrLimit:    {mem.ErrTooLarge},
		mem.ErrCorrupt:  {mem.ErrOverrun, mem.ErrKept},
	} {
		for _, reason := range reasons {
			for _, s := range sentinels {
				if got := errors.Is(reason, s); got != (s == want) {
					t.Errorf("errors.Is(%q, %q) is %v", reason, s, got)
				}
			}
			if !strings.HasPrefix(reason.Error(), "mem: ") {
				t.Errorf("%q does not say which package it is of", reason)
			}
		}
	}
}
