package ring

// Stats are what a ring has done. Each side counts its own in the shared memory, so a
// peer in another process can lie about its part.
type Stats struct {
	Capacity     uint64 `json:"capacity"`      // bytes
	Written      uint64 `json:"written"`       // bytes published since the ring began, with headers
	Read         uint64 `json:"read"`          // of these, bytes given back
	WriterSleeps uint64 `json:"writer_sleeps"` // how often the writer slept for want of room
	ReaderSleeps uint64 `json:"reader_sleeps"` // how often the reader slept for want of records
	WriterWoke   uint64 `json:"writer_woke"`   // how often the writer woke the reader
	ReaderWoke   uint64 `json:"reader_woke"`   // and the reader the writer
	Dropped      uint64 `json:"dropped"`       // records dropped, by [DropOldest]
}

func (c *control) stats() Stats {
	return Stats{
		Capacity:     c.capacity,
		Written:      c.written.Load(),
		Read:         c.read.Load() &^ claimed,
		WriterSleeps: c.writer.sleeps.Load(),
		ReaderSleeps: c.reader.sleeps.Load(),
		WriterWoke:   c.writer.wakes.Load(),
		ReaderWoke:   c.reader.wakes.Load(),
		Dropped:      c.writer.dropped.Load(),
	}
}
