package codecs

import (
	"runtime"
	"strings"
	"unsafe"

	"github.com/seamgo/seam/bench/thrift/peers/seam"
)

// floorSubjects are what the work costs without any decoding or encoding: "floor" allocates the
// objects of a message, in as few allocations as our decoders do, copies its bytes at once and fills its maps;
// "floor-views" copies no bytes. Encoding, it walks the maps and copies the message. No library
// can be faster that makes the same objects by Go's own means.
func floorSubjects(w Wire) ([]Subject, error) {
	var s []Subject
	from := make([]byte, 1<<19)
	decode := func(msg string, bytes int, build func(a *area)) {
		for _, lib := range []string{"floor", "floor-views"} {
			s = append(s, Subject{Op: Decode, Msg: msg, Lib: lib, Size: len(w[msg]), Run: func(n int) error {
				a := &area{from: from[:bytes]}
				for range n {
					if lib == "floor" && bytes > 0 {
						a.copy(bytes)
					}
					build(a)
				}
				return nil
			}})
		}
	}
	encode := func(msg string, walk func() int) {
		s = append(s, Subject{Op: Encode, Msg: msg, Lib: "floor", Size: len(w[msg]), Run: func(n int) error {
			buf := make([]byte, len(w[msg]))
			sum := 0
			for range n {
				sum += walk()
				copy(buf, w[msg])
			}
			runtime.KeepAlive(sum)
			return nil
		}})
	}

	order := new(seam.Order)
	if err := order.DecodeBinary(w["order"]); err != nil {
		return nil, err
	}
	attributes := pairsOf(order.Attributes)
	decode("order", orderBytes, func(a *area) {
		o := duplicate(order)
		o.Shipping = duplicate(order.Shipping)
		list, slab := make([]*seam.Item, len(order.Items)), make([]seam.Item, len(order.Items))
		for i, item := range order.Items {
			slab[i] = *item
			list[i] = &slab[i]
		}
		o.Items = list
		o.Attributes = fillMap(attributes)
		texts := make([]string, len(order.Tags)+2) // with those of optional fields
		o.Tags = texts[:copy(texts, order.Tags)]
		kept = unsafe.Pointer(unsafe.SliceData(texts))
		kept = unsafe.Pointer(o)
	})
	encode("order", func() int { return walkStrings(order.Attributes) })

	for _, msg := range []string{"ex64", "ex4096"} {
		x := new(seam.Example)
		if err := x.DecodeBinary(w[msg]); err != nil {
			return nil, err
		}
		var maps [][]pair[int64, int8]
		for _, m := range x.Data3 {
			maps = append(maps, pairsOf(m))
		}
		lists := pairsOf(x.Data2)
		numbers := 0
		for _, l := range x.Data1 {
			numbers += 8 * len(l)
		}
		decode(msg, numbers+16*32, func(a *area) {
			e := duplicate(x)
			e.Data1 = append([][]int64(nil), x.Data1...)
			e.Data2 = fillMap(lists)
			e.Data3 = make([]map[int64]int8, len(maps))
			for i, m := range maps {
				e.Data3[i] = fillMap(m)
			}
			kept = unsafe.Pointer(e)
		})
		encode(msg, func() (n int) {
			for k := range x.Data2 {
				n += int(k)
			}
			for _, m := range x.Data3 {
				n += walk(m)
			}
			return n
		})
	}

	tracks := new(seam.Tracks)
	if err := tracks.DecodeBinary(w["points"]); err != nil {
		return nil, err
	}
	decode("points", 20*(11+50*24), func(a *area) {
		t := duplicate(tracks)
		t.Tracks = make([]*seam.Track, len(tracks.Tracks))
		slab := make([]seam.Track, len(tracks.Tracks))
		for i, from := range tracks.Tracks {
			slab[i] = *from
			t.Tracks[i] = &slab[i]
			slab[i].Points = append([]*seam.Point(nil), from.Points...)
		}
		kept = unsafe.Pointer(t)
	})

	counters := new(seam.Counters)
	if err := counters.DecodeBinary(w["counters"]); err != nil {
		return nil, err
	}
	visits, codes, rates := pairsOf(counters.Visits), pairsOf(counters.Codes), pairsOf(counters.Rates)
	decode("counters", 0, func(*area) {
		c := duplicate(counters)
		c.Visits, c.Codes, c.Rates = fillMap(visits), fillMap(codes), fillMap(rates)
		kept = unsafe.Pointer(c)
	})
	encode("counters", func() int { return walk(counters.Visits) + walk(counters.Codes) + walk(counters.Rates) })

	history := new(seam.History)
	if err := history.DecodeBinary(w["history"]); err != nil {
		return nil, err
	}
	decode("history", historyBytes, func(a *area) {
		h := duplicate(history)
		h.Events = make([]*seam.HistoryEvent, len(history.Events))
		slab := make([]seam.HistoryEvent, len(history.Events))
		for i, from := range history.Events {
			e := &slab[i]
			*e = *from
			h.Events[i] = e
			e.Started, e.TaskScheduled, e.TaskStarted, e.TaskCompleted = duplicate(e.Started), duplicate(e.TaskScheduled), duplicate(e.TaskStarted), duplicate(e.TaskCompleted)
			e.ActivityScheduled, e.ActivityStarted, e.ActivityCompleted = duplicate(e.ActivityScheduled), duplicate(e.ActivityStarted), duplicate(e.ActivityCompleted)
			e.TimerStarted, e.TimerFired, e.Signaled = duplicate(e.TimerStarted), duplicate(e.TimerFired), duplicate(e.Signaled)
			if s := e.Started; s != nil {
				s.Type, s.Queue, s.Retry = duplicate(s.Type), duplicate(s.Queue), duplicate(s.Retry)
			}
			if s := e.TaskScheduled; s != nil {
				s.Queue = duplicate(s.Queue)
			}
			if s := e.ActivityScheduled; s != nil {
				s.Type, s.Queue, s.Retry = duplicate(s.Type), duplicate(s.Queue), duplicate(s.Retry)
			}
		}
		for range historyStrings / 16 {
			kept = unsafe.Pointer(unsafe.SliceData(make([]string, 16)))
		}
		kept = unsafe.Pointer(h)
	})
	return s, nil
}

// What messages have of strings of optional fields, and of bytes in the arena: strings and
// optional numbers.
const (
	orderBytes     = 608
	historyStrings = 112
	historyBytes   = 5200
)

// kept is where results go, so that the compiler leaves nothing out.
var kept unsafe.Pointer

// An area hands out memory that isn't cleared, as a decoder's arena does.
type area struct {
	from, b []byte
}

// copy copies n bytes into the area.
func (a *area) copy(n int) {
	const chunk = 4864
	if n > chunk {
		copy(uncleared(n), a.from)
		return
	}
	if n > len(a.b) {
		a.b = uncleared(chunk)
	}
	copy(a.b[:n], a.from)
	a.b = a.b[n:]
}

func uncleared(n int) []byte {
	var b strings.Builder
	b.Grow(n)
	b.WriteByte(0)
	kept = unsafe.Pointer(unsafe.StringData(b.String()))
	return unsafe.Slice((*byte)(kept), n)
}

// duplicate is a copy of what p points to, if there is something.
func duplicate[T any](p *T) *T {
	if p == nil {
		return nil
	}
	c := new(T)
	*c = *p
	return c
}

type pair[K comparable, V any] struct {
	key   K
	value V
}

func pairsOf[K comparable, V any](m map[K]V) (list []pair[K, V]) {
	for k, v := range m {
		list = append(list, pair[K, V]{k, v})
	}
	return list
}

func fillMap[K comparable, V any](list []pair[K, V]) map[K]V {
	m := make(map[K]V, len(list))
	for _, p := range list {
		m[p.key] = p.value
	}
	return m
}

func walk[K int32 | int64, V int8 | int64 | float64](m map[K]V) (n int) {
	for k, v := range m {
		n += int(k) + int(v)
	}
	return n
}

func walkStrings(m map[string]string) (n int) {
	for k, v := range m {
		n += len(k) + len(v)
	}
	return n
}
