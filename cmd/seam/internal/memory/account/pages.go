package account

import (
	"encoding/binary"
	"io"
)

const pageSize = 4096 // the least; where pages are larger the page map is not read

// A space is what can be read of a process's memory.
type space struct {
	memory io.ReaderAt // /proc/PID/mem; nil if it may not be read
	pages  io.ReaderAt // /proc/PID/pagemap; nil likewise

	// The pages of the mapping that is being read which are in memory. Of others the kernel would
	// make pages of zeros for us, which count as being there when one looks the next time.
	there     []bool
	thereFrom uint64 // the address of the first

	window     []byte // of memory, read last
	windowFrom uint64
}

// word is the word at an address, which must be of a page that is in memory. The error is the
// system's.
func (s *space) word(at uint64) (uint64, error) {
	if at < s.windowFrom || at+8 > s.windowFrom+uint64(len(s.window)) {
		const most = 16 // pages
		from := at &^ (pageSize - 1)
		n := 1
		if from >= s.thereFrom {
			for page := (from-s.thereFrom)/pageSize + 1; n < most && page < uint64(len(s.there)) && s.there[page]; page++ {
				n++
			}
		}
		if s.window == nil {
			s.window = make([]byte, most*pageSize)
		}
		n, err := s.memory.ReadAt(s.window[:n*pageSize], int64(from))
		s.window, s.windowFrom = s.window[:n], from
		if n < int(at-from)+8 {
			if err == nil {
				err = io.ErrUnexpectedEOF
			}
			return 0, err
		}
	}
	return binary.LittleEndian.Uint64(s.window[at-s.windowFrom:]), nil
}

// forget has what follows read anew, of a mapping with these pages.
func (s *space) forget(from uint64, there []bool) {
	s.window, s.there, s.thereFrom = s.window[:0], there, from
}

// resident says of each page of a range whether it is in memory.
func (s *space) resident(low, high uint64) ([]bool, error) {
	low, high = low/pageSize, (high+pageSize-1)/pageSize
	text := make([]byte, 8*(high-low))
	if _, err := s.pages.ReadAt(text, int64(8*low)); err != nil {
		return nil, err
	}
	list := make([]bool, high-low)
	for i := range list {
		list[i] = text[8*i+7]&0x80 != 0
	}
	return list, nil
}
