//go:build ignore

// Command program decodes messages of many types in turns. It takes orders as
// JSON on standard input and answers on descriptor 3. Called with a number of
// types and one of rotations it does these and ends: that is for Cachegrind.
package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"syscall"
	"time"
	"unsafe"

	"github.com/seamgo/seam/decoders"
)

// Clock and counters are those of the main thread.
func init() { runtime.LockOSThread() }

type order struct {
	Types     int
	Rotations int
	Yardstick bool
}

type answer struct {
	Wrong string // why there is no figure
	NS    int64
}

func main() {
	debug.SetGCPercent(-1) // see collect
	if len(os.Args) == 3 {
		types, _ := strconv.Atoi(os.Args[1])
		rotations, _ := strconv.Atoi(os.Args[2])
		if _, err := run(order{Types: types, Rotations: rotations}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	orders, answers := json.NewDecoder(os.Stdin), json.NewEncoder(os.NewFile(3, "answers"))
	for {
		var o order
		if orders.Decode(&o) != nil {
			return // the parent is gone
		}
		var a answer
		took, err := run(o)
		if a.NS = took.Nanoseconds(); err != nil {
			a.Wrong = err.Error()
		}
		if answers.Encode(a) != nil {
			return
		}
	}
}

// An item is a type with a message of it.
type item struct {
	object  decoders.Message
	message []byte

	words []uint64 // of the yardstick
	maps  [3]map[uint64]int8
}

var items []item

// run does some rotations and tells how long they took. One more goes before,
// since the caches are somebody else's then.
func run(o order) (time.Duration, error) {
	for i := len(items); i < o.Types; i++ {
		it, err := prepare(i)
		if err != nil {
			return 0, err
		}
		items = append(items, it)
	}
	rotate := decode
	if o.Yardstick {
		rotate = plain
	}
	list := items[:o.Types]
	collect()
	if err := rotate(list, 1); err != nil {
		return 0, err
	}
	start := now()
	err := rotate(list, o.Rotations)
	return now() - start, err
}

var (
	allocated = []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	collected uint64
)

// collect frees what decoding has allocated, which are lists in maps, from time
// to time: so that the collector never runs while something is timed.
func collect() {
	const most = 1 << 20 // it stays in the L2 cache
	metrics.Read(allocated)
	if now := allocated[0].Value.Uint64(); now-collected > most {
		runtime.GC()
		collected = now
	}
}

// now is the CPU time of this thread. Nothing that is timed waits, so time that other
// processes take from it is left out. (The program of experiment payload has the same for
// a process; programs of the lab are built by themselves and share no code.)
func now() time.Duration {
	const threadClock = 3 // CLOCK_THREAD_CPUTIME_ID
	var t syscall.Timespec
	if _, _, errno := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, threadClock, uintptr(unsafe.Pointer(&t)), 0); errno != 0 {
		panic(fmt.Errorf("clock_gettime: %w", errno))
	}
	return time.Duration(t.Nano())
}

func decode(list []item, rotations int) error {
	for range rotations {
		for i := range list {
			if err := list[i].object.DecodeBinary(list[i].message); err != nil {
				return err
			}
		}
	}
	return nil
}

// plain does by hand what decoding does most: it loads words of the messages, and
// empties and fills maps. It holds none of Seam's code, and another program on
// the same core slows it down in the same way.
func plain(list []item, rotations int) error {
	for range rotations {
		for i := range list {
			it := &list[i]
			it.words = it.words[:0]
			for b := it.message; len(b) >= 8; b = b[8:] {
				it.words = append(it.words, binary.BigEndian.Uint64(b))
			}
			for k, m := range it.maps {
				clear(m)
				m[it.words[k]] = int8(k)
			}
		}
	}
	return nil
}

// prepare makes a message of a type, and sees that it is read as it was
// written.
func prepare(i int) (item, error) {
	object := decoders.All[i]()
	fill(reflect.ValueOf(object).Elem(), 0)
	message, err := object.AppendBinary(nil)
	if err != nil {
		return item{}, err
	}
	again := decoders.All[i]()
	for range 2 {
		if err := again.DecodeBinary(message); err != nil {
			return item{}, err
		}
	}
	if copied, err := again.AppendBinary(nil); err != nil || !bytes.Equal(copied, message) {
		return item{}, fmt.Errorf("%T: what was decoded is not what was written (%v)", object, err)
	}
	it := item{object: again, message: message}
	for k := range it.maps {
		it.maps[k] = map[uint64]int8{}
	}
	return it, nil
}

// fill sets all of a value: two elements in lists, one in maps, since the order
// of more would be by chance.
func fill(v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), depth)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			fill(v.Index(i), depth+1)
		}
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, depth+1)
		fill(value, depth+1)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(7 + depth))
	case reflect.Uint8:
		v.SetUint(uint64('a'))
	case reflect.Float64:
		v.SetFloat(0.5)
	default:
		panic("a field of a kind that the IDL of the experiment does not have: " + v.Kind().String())
	}
}
