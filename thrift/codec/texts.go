package codec

import "unsafe"

// texts are places for the strings of a message that share allocations: those of optional
// fields, and short lists of strings. A pointer to one, or such a list, keeps the
// others. As many are allocated at once as the message before has had, up to mostTexts: most
// messages are like the one before.
type texts struct {
	places []string
	given  int // how many of places are in use: a shorter slice would be a pointer stored for each
	wanted int // how many the message has asked for so far
	usual  int // how many the message before has asked for, mostTexts at most
}

// mostTexts is how many places are allocated at once. A list of more than shortList has an
// allocation of its own.
const (
	mostTexts = 16
	shortList = 8
)

// next begins another message, which shares nothing with those before.
func (t *texts) next() {
	if t.wanted > 0 {
		t.usual = min(t.wanted, mostTexts)
	}
	t.places, t.given, t.wanted = nil, 0, 0
}

// newString returns a place for the string of an optional field.
func (d *Decoder) newString() *string {
	d.memory -= int64(unsafe.Sizeof("")) // looked at in the end
	if d.given >= len(d.places) {
		// As many as there were in this message, and one.
		d.places, d.given = make([]string, min(max(d.wanted+1, d.usual), mostTexts)), 0
	}
	d.wanted++
	s := &d.places[d.given]
	d.given++
	return s
}

// stringSlots is [Slots] for strings. A short list that nobody had room for before is cut from
// the places, if the message before says that there will be others beside it.
func (d *Decoder) stringSlots(old []string, n int) []string {
	if n > shortList || n == 0 || cap(old) >= n {
		return Slots(d, old, n)
	}
	first := d.wanted == 0
	d.wanted += n
	if d.given+n > len(d.places) && (!first || d.usual <= n) {
		return Slots[string](d, nil, n)
	}
	if c := d.Afford(n, int(unsafe.Sizeof(""))); c < n {
		return make([]string, c)
	}
	if first {
		d.places, d.given = make([]string, d.usual), 0
	}
	v := d.places[d.given : d.given+n : d.given+n]
	d.given += n
	return v
}
