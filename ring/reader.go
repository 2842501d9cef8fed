package ring

import (
	"context"
	"errors"
	"math/bits"
	"runtime"
	"sync/atomic"
)

// Reader is the end that takes records out of a ring. Its methods must not be called
// concurrently.
type Reader struct {
	end           // seen: the records up to here may be read
	next   uint64 // the record after the one that is lent
	gave   uint64 // up to where records have been given back
	lag    uint64 // how much may be read before it is given back
	lent   bool   // the caller has a record
	claims bool   // the policy is DropOldest
	quiet  bool   // a Doorbell waits
	copies bool   // the writer isn't trusted
	copied []byte // the last record, if so
}

// Next waits for a record and returns it where it lies, without a copy: it is the
// caller's until the next call of Next, TryNext, Release or Close. An untrusted writer's
// is copied. It returns io.EOF when the writer has closed and everything has been read.
//
// What has been read is given back to the writer when there is nothing more to read, and
// before that whenever it is an eighth of the ring.
func (r *Reader) Next(ctx context.Context) ([]byte, error) {
	for {
		if r.next == r.seen {
			if err := r.refill(ctx); err != nil {
				return nil, err
			}
		}
		// The header is read once and checked before it is used: the writer may be
		// another process, which may change it at any time.
		pos := r.next
		h := atomic.LoadUint64(r.header(pos))
		size := recordSize(h & (1<<32 - 1))
		if h>>32 == 0 && size <= r.seen-pos && size <= r.capacity-pos&r.mask {
			r.next = pos + size
			r.lent = true
			if pos-r.gave >= r.lag {
				r.took(pos)
			}
			rec := r.payload(pos, int(h))
			if r.copies {
				rec = r.copy(rec)
			}
			return rec[:len(rec):len(rec)], nil
		}
		if err := r.skip(pos, h, size); err != nil {
			return nil, err
		}
	}
}

// copy takes a record out of the ring. The room for it grows with the records, not with the
// ring, of which there may be thousands.
func (r *Reader) copy(rec []byte) []byte {
	if cap(r.copied) < len(rec) {
		r.copied = make([]byte, min(r.capacity, 1<<bits.Len(uint(max(len(rec), minCapacity)-1))))
	}
	rec = r.copied[:copy(r.copied[:len(rec)], rec)]
	runtime.KeepAlive(r) // and the memory
	return rec
}

// TryNext is Next without waiting: ok says whether there was a record.
func (r *Reader) TryNext() (rec []byte, ok bool, err error) {
	rec, err = r.Next(noWait)
	if err == errEmpty {
		return nil, false, nil
	}
	return rec, err == nil, err
}

// Release gives back everything that Next has returned. Call it before doing something
// that takes long; the writer might wait for the room.
func (r *Reader) Release() {
	r.lent = false
	switch {
	case r.final != nil:
		r.letGo()
	case r.gave != r.next:
		r.giveBack(r.next)
	}
}

// Close closes this end: the writer gets [ErrGone]. If the caller has a record it stays
// readable until Release.
func (r *Reader) Close() error {
	r.shut(ErrClosed)
	r.next = r.seen
	if !r.lent {
		r.letGo()
	}
	return nil
}

// refill returns when there is something to read. It gives back everything before it
// sleeps: the writer may need the room to go on.
func (r *Reader) refill(ctx context.Context) error {
	r.lent = false
	// What a peer had published before it went can still be read.
	if err := r.failed(); r.final != nil || err != nil && err != ErrGone {
		return r.giveUp(err)
	}
	if r.claims {
		return r.claim(ctx)
	}
	if written := r.ctl.written.Load(); written != r.seen {
		return r.saw(written)
	}
	if r.gave != r.next {
		r.giveBack(r.next)
	}
	if err := r.wait(ctx); err != nil {
		return err
	}
	return r.saw(r.ctl.written.Load())
}

// wait returns when the writer may have published something after seen.
func (r *Reader) wait(ctx context.Context) error {
	if r.quiet && ctx != noWait {
		return invalid("the connection belongs to a Doorbell, which waits for it: use TryNext")
	}
	r.ahead = r.header(r.next)
	err, final := r.await(ctx)
	if final {
		return r.giveUp(err)
	}
	return err
}

// saw takes over the writer's position. It can't go back, nor be more than the capacity
// ahead.
func (r *Reader) saw(written uint64) error {
	if ahead := written - r.next; ahead > r.capacity || ahead < r.seen-r.next || written%8 != 0 {
		return r.giveUp(corrupt("the writer says that it is at %d, and it was at %d, with %d read", written, r.seen, r.next))
	}
	r.sync.acquire()
	r.seen = written
	return nil
}

// claim gives back the record that was lent, and claims the oldest one, so that the
// writer can't drop it. Where the claim lies is settled by one atomic operation: the
// writer moves the position only if nothing is claimed.
func (r *Reader) claim(ctx context.Context) error {
	for {
		if r.gave != r.next {
			r.sync.release()
			r.gave = r.next
			r.ctl.read.Swap(r.next)
		}
		pos := r.ctl.read.Add(claimed) - claimed // not claimed before; Or would be a loop
		written := r.ctl.written.Load()
		if ahead := written - pos; ahead > r.capacity || pos-r.next > written-r.next || (pos|written)%8 != 0 {
			return r.giveUp(corrupt("the writer says that it is at %d and has dropped everything before %d, with %d read", written, pos, r.next))
		}
		r.sync.acquire()
		r.next, r.gave, r.seen = pos, pos, written
		if pos != written {
			return nil
		}
		r.ctl.read.And(^uint64(claimed))
		if err := r.wait(ctx); err != nil {
			return err
		}
	}
}

// took is called when a record at pos is lent and there is enough to give back.
func (r *Reader) took(pos uint64) {
	if r.claims {
		r.seen = r.next // the next record must be claimed first
		return
	}
	r.giveBack(pos)
}

// giveBack lets the writer have everything before pos.
func (r *Reader) giveBack(pos uint64) {
	r.gave = pos
	r.sync.release()
	r.ctl.read.Swap(pos)
	r.tell()
	runtime.KeepAlive(r)
}

// skip steps over padding. It fills the end of the ring, and no padding can follow it, so
// nobody can keep the reader here.
func (r *Reader) skip(pos, h, size uint64) error {
	if h>>32 != padding || pos&r.mask == 0 || size != r.capacity-pos&r.mask || size > r.seen-pos {
		return r.giveUp(corrupt("at %d is no record: %#x, with %d bytes published and %d to the end", pos, h, r.seen-pos, r.capacity-pos&r.mask))
	}
	r.next = pos + size
	return nil
}

// giveUp ends the use of this end because of err, which it returns.
func (r *Reader) giveUp(err error) error {
	err = r.shut(err)
	r.next = r.seen
	r.letGo()
	return err
}

// noWait is TryNext's context.
var noWait context.Context = never{context.Background()}

type never struct{ context.Context }

// errEmpty is what TryNext makes of a wait.
var errEmpty = errors.New("ring: empty")
