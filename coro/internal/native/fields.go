//go:build cgo

package native

// #include "native.h"
import "C"

import "unsafe"

// Fields returns the offsets of the control block's fields in C.
func Fields() map[string]uintptr {
	var c Control
	return map[string]uintptr{
		"pc": unsafe.Offsetof(c.pc), "sp": unsafe.Offsetof(c.sp), "fp": unsafe.Offsetof(c.fp),
		"goSP": unsafe.Offsetof(c.go_sp), "goPC": unsafe.Offsetof(c.go_pc), "goFP": unsafe.Offsetof(c.go_fp), "goG": unsafe.Offsetof(c.go_g),
		"op": unsafe.Offsetof(c.op), "status": unsafe.Offsetof(c.status), "id": unsafe.Offsetof(c.id), "ptr": unsafe.Offsetof(c.ptr), "n": unsafe.Offsetof(c.n),
		"fpControl": unsafe.Offsetof(c.fpcontrol), "flags": unsafe.Offsetof(c.flags), "abi": unsafe.Offsetof(c.abi),
		"goFPControl": unsafe.Offsetof(c.go_fpcontrol), "events": unsafe.Offsetof(c.events), "token": unsafe.Offsetof(c.token), "fn": unsafe.Offsetof(c.fn), "arg": unsafe.Offsetof(c.arg), "result": unsafe.Offsetof(c.result),
		"goSwitch": unsafe.Offsetof(c.go_switch), "stackLow": unsafe.Offsetof(c.stack_low), "stackHigh": unsafe.Offsetof(c.stack_high),
		"fakeStack": unsafe.Offsetof(c.fake_stack), "name": unsafe.Offsetof(c.name), "realPC": unsafe.Offsetof(c.real_pc), "canary": unsafe.Offsetof(c.canary),
		"errorAt": unsafe.Offsetof(c.error_at), "keep": unsafe.Offsetof(c.keep), "rooms": unsafe.Offsetof(c.rooms), "unwatched": unsafe.Offsetof(c.unwatched),
	}
}

// BelowFields and MailboxFields return the offsets in what lies below a control block and in a mailbox.
func BelowFields() map[string]uintptr {
	var b C.seam_below
	return map[string]uintptr{"next": unsafe.Offsetof(b.next), "mailbox": unsafe.Offsetof(b.mailbox), "since": unsafe.Offsetof(b.since),
		"woken": unsafe.Offsetof(b.woken), "owner": unsafe.Offsetof(b.owner)}
}

func MailboxFields() map[string]uintptr {
	var m C.seam_mailbox
	return map[string]uintptr{"first": unsafe.Offsetof(m.first), "event": unsafe.Offsetof(m.event), "asleep": unsafe.Offsetof(m.asleep)}
}

// BelowSize and MailboxSize are their sizes.
const (
	BelowSize   = C.sizeof_seam_below
	MailboxSize = C.sizeof_seam_mailbox
)

// Ops returns the SEAM_OP_… requests, from SEAM_OP_DONE_ on.
func Ops() []int {
	return []int{
		C.SEAM_OP_DONE_, C.SEAM_OP_UPCALL_, C.SEAM_OP_YIELD_, C.SEAM_OP_WAIT_FD_, C.SEAM_OP_WAIT_FDS_,
		C.SEAM_OP_SLEEP_, C.SEAM_OP_OFFLOAD_, C.SEAM_OP_DETACH_, C.SEAM_OP_WATCH_, C.SEAM_OP_PAUSE_, C.SEAM_OP_BLOCKS_,
	}
}

// Flags returns SEAM_CORO_SHARES_THREAD and SEAM_CORO_FALLBACK.
func Flags() []int { return []int{C.SEAM_CORO_SHARES_THREAD, C.SEAM_CORO_FALLBACK} }

// Codes returns the SEAM_E… codes, from SEAM_ECANCELED on.
func Codes() []int {
	return []int{
		C.SEAM_ECANCELED, C.SEAM_EPANIC, C.SEAM_EGOEXIT, C.SEAM_ESTOPPED, C.SEAM_ENOFUNC, C.SEAM_EFAILED,
		C.SEAM_ETIMEDOUT, C.SEAM_EBADF, C.SEAM_EMISUSE, C.SEAM_EABI, C.SEAM_ENOMEM,
	}
}
