package ring

// Seen is a ring between processes, as [Inspect] found it.
type Seen struct {
	Address  uint64 `json:"address"`  // in the process that was asked for
	Inode    uint64 `json:"inode"`    // of the memory, which rings of one connection share
	Version  uint32 `json:"version"`  // of the layout
	Features uint64 `json:"features"` // 1: the sides wake each other through the socket; 2: the writer drops the oldest
	Back     bool   `json:"back"`     // the ring from the side that connected to the one that served
	Stats
	WriterWaits  bool  `json:"writer_waits"` // the writer sleeps for want of room
	WriterClosed bool  `json:"writer_closed"`
	ReaderWaits  bool  `json:"reader_waits"` // the reader sleeps for want of records
	ReaderClosed bool  `json:"reader_closed"`
	Processes    []int `json:"processes"` // that have the memory, as far as we may see
}

// Fill is how many bytes are published and not yet given back.
func (s *Seen) Fill() uint64 {
	if n := s.Written - s.Read; n <= s.Capacity {
		return n
	}
	return 0 // read while it moved
}
