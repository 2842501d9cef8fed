package ring

import (
	"context"
	"runtime"
	"sync/atomic"
)

// Writer is the end that puts records into a ring. Its methods must not be called
// concurrently; a [SharedWriter] is for many goroutines.
type Writer struct {
	end
	pos       uint64 // where the next record goes
	published uint64 // what the reader may see
	limit     uint64 // up to where there is room
	reserved  int    // what Reserve promised, or -1
	full      Full
	max       uint64
	records   uint64 // that are committed
	taken     uint64 // see Taken, when last counted
}

// MaxRecord is how many bytes a record can have at most: the capacity less 8. A record of
// more than half the capacity has to wait until everything before it has been read.
func (w *Writer) MaxRecord() int { return int(w.capacity - headerSize) }

// Reserve returns room for a record of n bytes, in the ring itself, with undefined
// contents. The room is the caller's until Commit, or until the next Reserve, Append or
// Send, which takes it back. If there is none it does what the ring's policy says, after publishing
// everything that is committed.
func (w *Writer) Reserve(ctx context.Context, n int) ([]byte, error) {
	if uint64(n) > w.max {
		return nil, w.refuse(n)
	}
	size := recordSize(uint64(n))
	if size > w.limit-w.pos || size > w.capacity-w.pos&w.mask {
		if err := w.makeRoom(ctx, size); err != nil {
			return nil, err
		}
	}
	w.reserved = n
	return w.payload(w.pos, n), nil
}

// Commit makes a record of the first n bytes of what Reserve returned. The reader sees it
// after Flush.
func (w *Writer) Commit(n int) error {
	if w.final != nil {
		w.letGo()
		return w.failed()
	}
	if uint(n) > uint(w.reserved) || w.reserved < 0 {
		return invalid("a commit of %d bytes, and %d are reserved", n, max(w.reserved, 0))
	}
	w.reserved = -1
	*w.header(w.pos) = uint64(n)
	w.pos += recordSize(uint64(n))
	w.records++
	return nil
}

// Append copies a record into the ring. The reader sees it after Flush.
func (w *Writer) Append(ctx context.Context, p []byte) error {
	if uint64(len(p)) > w.max {
		return w.refuse(len(p))
	}
	size := recordSize(uint64(len(p)))
	if size > w.limit-w.pos || size > w.capacity-w.pos&w.mask {
		if err := w.makeRoom(ctx, size); err != nil {
			return err
		}
	}
	w.reserved = -1
	*w.header(w.pos) = uint64(len(p))
	copy(w.payload(w.pos, len(p)), p)
	w.pos += size
	w.records++
	return nil
}

// Flush publishes all records that are committed, and wakes the reader if it sleeps. An
// error says that nobody will read them.
func (w *Writer) Flush() error {
	err := w.failed()
	if err == nil && w.pos != w.published {
		w.publish()
	}
	return err
}

// Send copies a record into the ring and publishes it: Append and Flush.
func (w *Writer) Send(ctx context.Context, p []byte) error {
	if err := w.Append(ctx, p); err != nil {
		return err
	}
	return w.Flush()
}

// Taken returns how many of the records that Append, Commit and Send have taken, from the first
// on, the reader is done with: it has given them back, or they were dropped by [DropOldest]. When the
// peer is [ErrGone] all that came after them may be lost, and goes to the next connection. A
// record that the peer was at, and up to an eighth of the ring before it, counts as not taken. It
// may be called after an error and after Close.
func (w *Writer) Taken() uint64 {
	if w.ctl == nil {
		return w.taken
	}
	pos, behind := w.ctl.read.Load()&^claimed, uint64(0)
	if w.pos-pos > w.capacity || pos%8 != 0 {
		return w.taken // no place that a reader can be at
	}
	for pos != w.pos {
		h := atomic.LoadUint64(w.header(pos))
		size := recordSize(h & (1<<32 - 1))
		if size > w.pos-pos || size > w.capacity-pos&w.mask {
			return w.taken // it was changed
		}
		if h>>32 != padding {
			behind++
		}
		pos += size
	}
	if behind <= w.records {
		w.taken = max(w.taken, w.records-behind)
	}
	runtime.KeepAlive(w) // and the memory
	return w.taken
}

// letGo gives up the memory, where it stands what was taken.
func (w *Writer) letGo() {
	w.Taken()
	w.end.letGo()
}

// Close publishes what is committed and closes this end. The reader gets the rest, and
// then io.EOF. In a goroutine that panics Close is Abort.
func (w *Writer) Close() error {
	if unwinding() {
		return w.Abort()
	}
	w.Flush()
	return w.close()
}

// Abort closes this end where the records aren't all that there should have been: the reader
// gets what was flushed, and then [ErrGone]. After Close it does nothing, so it can be deferred
// for what returns early.
func (w *Writer) Abort() error {
	if w.ctl != nil {
		w.mine.abort()
	}
	return w.close()
}

func (w *Writer) close() error {
	w.shut(ErrClosed)
	w.limit = w.pos
	if w.reserved < 0 {
		w.letGo()
	}
	return nil
}

// publish lets the reader see everything up to pos. Swap, not Store: the writer publishes
// and then looks whether the reader sleeps, and nothing may change places.
func (w *Writer) publish() {
	w.published = w.pos
	w.sync.release()
	w.ctl.written.Swap(w.pos)
	w.tell()
	runtime.KeepAlive(w) // and the memory
}

// makeRoom returns when size bytes in one piece are free at pos.
func (w *Writer) makeRoom(ctx context.Context, size uint64) error {
	w.reserved = -1 // pos may move over padding, to where there is no room yet
	for {
		need, tail := size, w.capacity-w.pos&w.mask
		if size > tail {
			need = tail // the padding first
		}
		if need > w.limit-w.pos {
			if err := w.wait(ctx, need); err != nil {
				return err
			}
			continue
		}
		if size <= tail {
			return nil
		}
		*w.header(w.pos) = padding<<32 | (tail - headerSize)
		w.pos += tail
	}
}

// wait returns when the reader may have given back something, or does what the policy
// says. It publishes before it sleeps or fails: the reader may need what is committed to
// go on.
func (w *Writer) wait(ctx context.Context, need uint64) error {
	if err := w.failed(); err != nil {
		return w.giveUp(err)
	}
	if w.full == DropOldest {
		return w.drop(need)
	}
	if err := w.look(); err != nil || need <= w.limit-w.pos {
		return err
	}
	if w.pos != w.published {
		w.publish()
	}
	if w.full == Fail {
		if err := w.over(); err != nil {
			return w.giveUp(err)
		}
		return ErrFull
	}
	if err, final := w.await(ctx); final {
		return w.giveUp(err)
	} else if err != nil {
		return err
	}
	if err := w.look(); err != nil || need <= w.limit-w.pos {
		return err
	}
	return ctx.Err() // a reader that gives back a little at a time doesn't make it longer
}

// look finds how far the reader is. It can't be where nothing is published yet, nor
// behind where it was.
func (w *Writer) look() error {
	read := w.ctl.read.Load()
	if before := w.limit - w.capacity; read-before > w.published-before || read%8 != 0 {
		return w.giveUp(corrupt("the reader says that it is at %d, after %d and with %d published", read, before, w.published))
	}
	w.sync.acquire()
	w.seen = read
	w.limit = read + w.capacity
	return nil
}

// drop makes room for need bytes by moving the reader's position beyond its oldest
// records.
func (w *Writer) drop(need uint64) error {
	if w.theirs.state.Load()&(closed|aborted) != 0 {
		return w.giveUp(ErrGone)
	}
	// A reader that keeps to the rules makes this fail once at most for each record that
	// it takes. Another one could go on for ever.
	for range 64 {
		read := w.ctl.read.Load()
		pos, before := read&^claimed, w.limit-w.capacity
		if pos-before > w.published-before || pos%8 != 0 {
			return w.giveUp(corrupt("the reader says that it is at %d, after %d and with %d published", read, before, w.published))
		}
		w.sync.acquire()
		w.limit = pos + w.capacity
		if need <= w.limit-w.pos {
			return nil
		}
		if pos == w.published {
			w.publish() // what is dropped must have been there
		}
		if read&claimed != 0 {
			break
		}
		h := atomic.LoadUint64(w.header(pos))
		size := recordSize(h & (1<<32 - 1))
		if size > w.published-pos || size > w.capacity-pos&w.mask {
			return w.giveUp(corrupt("a record of %d bytes at %d, which this end wrote, was changed", size, pos))
		}
		if w.ctl.read.CompareAndSwap(read, pos+size) {
			w.limit = pos + size + w.capacity
			if h>>32 != padding {
				w.mine.dropped.Add(1)
			}
			return nil
		}
	}
	if w.pos != w.published {
		w.publish()
	}
	return ErrFull
}

// refuse says why a record of n bytes can't be had.
func (w *Writer) refuse(n int) error {
	if w.final != nil {
		return w.failed()
	}
	return invalid("a record of %d bytes: this ring has room for %d", n, w.max)
}

// giveUp ends the use of this end because of err, which it returns.
func (w *Writer) giveUp(err error) error {
	err = w.shut(err)
	w.limit, w.published = w.pos, w.pos
	w.letGo()
	return err
}
