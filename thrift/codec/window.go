package codec

import "unsafe"

// Where a message is mostly text, it is copied in windows, and its strings and binaries are cut
// from the copy: one move for many strings, whatever their lengths. A window is part of the arena,
// so it keeps no more alive than strings that are copied one by one. What is between the strings
// is copied in vain; so it is done only if the message before was text for the most part, and it
// ends with the first window that wasn't.
//
// Views are cut from a window that is the input itself.

// A window is a part of the input and its copy.
type window struct {
	first unsafe.Pointer // of the copy
	from  int            // of the input
	until int            // 0: there is no window

	text  int  // bytes of the message's strings so far
	dense bool // the message is worth windows, as far as is known
	mark  int  // text when the window began
}

// widest is how much a window has at most, so that it is part of a chunk.
const widest = chunk / 4

// begin is for a new message, which may have windows or not.
func (w *window) begin(b []byte, views, copies bool) {
	w.first, w.from, w.until, w.mark = nil, 0, 0, 0
	w.dense = copies && w.dense
	if views && len(b) > 0 {
		w.first, w.until = unsafe.Pointer(unsafe.SliceData(b)), len(b)
	}
	w.text = 0
}

// end is for a message of size bytes that was read.
func (w *window) end(size int) {
	w.first = nil
	w.dense = 2*w.text > size
}

// at is the copy of position i, which is in the window.
func (w *window) at(i int) unsafe.Pointer { return unsafe.Add(w.first, i-w.from) }

// open begins a window at i, where a string of n bytes is, if there should be one.
func (d *Decoder) open(i, n int) bool {
	w := &d.window
	if size := w.until - w.from; size > 0 && 2*(w.text-w.mark) < size {
		w.dense = false
	}
	size := min(len(d.buf)-i, widest)
	if !w.dense || n > size {
		return false
	}
	if room := len(d.arena) - d.used; room < size && room >= max(n, short) {
		size = room
	}
	w.first, w.from, w.until, w.mark = d.copy(i, size), i, i+size, w.text
	return true
}
