package heap

import (
	"compress/gzip"
	"io"
	"time"
)

// A function is a place in a profile.
type function struct {
	name, file string
	line       int
}

// write writes a profile: the messages of pprof's profile.proto.
func write(w io.Writer, sites []site, length time.Duration) error {
	var p message
	texts := map[string]uint64{"": 0}
	list := []string{""}
	text := func(s string) uint64 {
		n, ok := texts[s]
		if !ok {
			n = uint64(len(list))
			texts[s] = n
			list = append(list, s)
		}
		return n
	}
	valueType := func(name, unit string) (m message) {
		m.number(1, text(name))
		m.number(2, text(unit))
		return m
	}
	for _, t := range [][2]string{{"alloc_objects", "count"}, {"alloc_space", "bytes"}, {"inuse_objects", "count"}, {"inuse_space", "bytes"}} {
		p.message(1, valueType(t[0], t[1]))
	}
	type place struct {
		pc uintptr
		c  bool
	}
	functions, locations := map[[2]string]uint64{}, map[place]uint64{}
	for _, s := range sites {
		var sample, ids, values message
		for i, pc := range s.pcs {
			at := place{pc, i < s.c}
			id, ok := locations[at]
			if !ok {
				id = uint64(len(locations) + 1)
				locations[at] = id
				var l message
				l.number(1, id)
				l.number(2, 1)
				l.number(3, uint64(pc))
				for _, f := range names(at.pc, at.c) {
					name := [2]string{f.name, f.file}
					number, ok := functions[name]
					if !ok {
						number = uint64(len(functions) + 1)
						functions[name] = number
						var m message
						m.number(1, number)
						m.number(2, text(f.name))
						m.number(3, text(f.name))
						m.number(4, text(f.file))
						p.message(5, m)
					}
					var line message
					line.number(1, number)
					line.number(2, uint64(f.line))
					l.message(4, line)
				}
				p.message(4, l)
			}
			ids.varint(id)
		}
		for _, v := range s.values {
			values.varint(uint64(v))
		}
		sample.message(1, ids)
		sample.message(2, values)
		if s.mapped {
			var label message
			label.number(1, text("by"))
			label.number(2, text("mmap"))
			sample.message(3, label)
		}
		p.message(2, sample)
	}
	// One mapping that needs no symbols: pprof would look them up again and find fewer.
	var m message
	m.number(1, 1)
	m.number(3, 1<<62)
	m.number(5, text("program"))
	for field := 7; field <= 10; field++ {
		m.number(field, 1)
	}
	p.message(3, m)
	p.number(9, uint64(time.Now().UnixNano()))
	p.number(10, uint64(length))
	p.message(11, valueType("space", "bytes"))
	p.number(12, rate())
	p.number(14, text("inuse_space"))
	for _, s := range list {
		p.text(6, s)
	}
	z := gzip.NewWriter(w)
	if _, err := z.Write(p); err != nil {
		return err
	}
	return z.Close()
}

// A message is one of protocol buffers, as it is written.
type message []byte

func (m *message) varint(v uint64) {
	for ; v >= 0x80; v >>= 7 {
		*m = append(*m, byte(v)|0x80)
	}
	*m = append(*m, byte(v))
}

func (m *message) number(field int, v uint64) {
	m.varint(uint64(field) << 3)
	m.varint(v)
}

func (m *message) message(field int, part message) {
	m.varint(uint64(field)<<3 | 2)
	m.varint(uint64(len(part)))
	*m = append(*m, part...)
}

func (m *message) text(field int, s string) { m.message(field, message(s)) }
