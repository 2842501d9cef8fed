package symbols

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// A module is what we need of runtime.firstmoduledata.
type module struct {
	text   uint64
	gofunc []byte // from go:func.* on
}

// Offsets in moduledata, of runtime/symtab.go. What stands in front of gofunc
// has grown by two words in 1.27.
const (
	offNames   = 8        // funcnametab: pointer, length, capacity
	offFuncs   = 8 + 5*24 // ftab: pointer, length
	offMinPC   = 160
	offMaxPC   = 168
	offText    = 176
	offEndText = 184
)

func offGofunc(minor int) uint64 {
	if minor >= 27 {
		return 344
	}
	return 320
}

// findModule finds the module's data. Nothing that a stripped program keeps names
// it, but it begins with the address of pclntab, and the words behind that can be
// checked against the tables. The tables themselves tell runtime.text up to Go
// 1.25 only, and never where go:func.* is, without which nothing is known of
// inlining. With a C compiler at work, .text begins with other code.
func findModule(img *Image, minor int) (*module, error) {
	h, err := readHeader(img.pclntab.data)
	if err != nil {
		return nil, err
	}
	try := func(at uint64) *module {
		word := func(off uint64) uint64 { v, _ := img.Pointer(at + off); return v }
		if at%8 != 0 || word(0) != img.pclntab.addr || word(offNames) != img.pclntab.addr+h.names || word(offFuncs+8) != h.funcs+1 {
			return nil
		}
		text, end := word(offText), word(offEndText)
		if low, high := word(offMinPC), word(offMaxPC); text > low || low >= high || high > end {
			return nil
		}
		return &module{text: text, gofunc: img.Bytes(word(offGofunc(minor)))}
	}
	for _, r := range img.relative {
		if r.value == img.pclntab.addr {
			if m := try(r.at); m != nil {
				return m, nil
			}
		}
	}
	for i := range img.sections {
		s := &img.sections[i]
		if s.exec || s == img.pclntab {
			continue
		}
		for off := -s.addr & 7; off+8 <= uint64(len(s.data)); off += 8 {
			if binary.LittleEndian.Uint64(s.data[off:]) != img.pclntab.addr {
				continue
			}
			if m := try(s.addr + off); m != nil {
				return m, nil
			}
		}
	}
	return nil, errors.New("its runtime.firstmoduledata, which says where its code begins, can't be found: the file is damaged, or for a system with another layout")
}

// A header is runtime.pcHeader; the fields are offsets from it, checked.
type header struct {
	funcs                          uint64 // how many
	names, units, files, pcs, ftab uint64
}

// The words that tables begin with, in internal/abi/symtab.go; what is said of
// the versions is there.
const magic = 0xfffffff1

var oldMagic = map[uint32]string{0xfffffffb: "1.2 to 1.15", 0xfffffffa: "1.16 and 1.17", 0xfffffff0: "1.18 and 1.19"}

func readHeader(data []byte) (*header, error) {
	if len(data) < 72 {
		return nil, fmt.Errorf("its table of functions is cut off: it has %d bytes", len(data))
	}
	if m := binary.LittleEndian.Uint32(data); m != magic {
		if old := oldMagic[m]; old != "" {
			return nil, fmt.Errorf("the tables of Go %s are not understood (those of Go 1.%d to 1.%d are)", old, firstMinor, lastMinor)
		}
		return nil, fmt.Errorf("its table of functions is damaged: it begins with %#x", m)
	}
	if data[4] != 0 || data[5] != 0 || data[7] != 8 {
		return nil, errors.New("its table of functions is damaged: its header is of no known kind")
	}
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(data[8*i:]) }
	// Word 3 was runtime.text up to Go 1.25; the module's data have it always.
	h := &header{funcs: word(1), names: word(4), units: word(5), files: word(6), pcs: word(7), ftab: word(8)}
	size := uint64(len(data))
	for _, off := range []uint64{h.names, h.units, h.files, h.pcs, h.ftab} {
		if off > size {
			return nil, errors.New("its table of functions is cut off: a part of it lies behind its end")
		}
	}
	if h.funcs > (size-h.ftab)/8 {
		return nil, fmt.Errorf("its table of functions is cut off: %d functions have no room in it", h.funcs)
	}
	return h, nil
}
