package codecs

import (
	"github.com/seamgo/seam/bench/thrift/peers/seam"
	"github.com/seamgo/seam/bench/thrift/peers/seamvalues"
	"github.com/seamgo/seam/bench/thrift/peers/seamviews"
)

// seamMessage is what seam gen generates.
type seamMessage interface {
	AppendBinary([]byte) ([]byte, error)
	AppendCompact([]byte) ([]byte, error)
	DecodeBinary([]byte) error
	DecodeCompact([]byte) error
}

func seamSubjects(w Wire) ([]Subject, error) {
	return join(
		ours[seam.Example]("seam", "ex64", w), ours[seam.Example]("seam", "ex4096", w),
		ours[seam.Order]("seam", "order", w),
		ours[seam.LogEvent]("seam", "log", w), ours[seam.Blob]("seam", "blob", w), ours[seam.Tracks]("seam", "points", w),
		ours[seam.Counters]("seam", "counters", w), ours[seam.History]("seam", "history", w), ours[seam.Table]("seam", "table", w),
		views[seamviews.Example]("ex64", w), views[seamviews.Example]("ex4096", w),
		views[seamviews.Order]("order", w),
		views[seamviews.LogEvent]("log", w), views[seamviews.Blob]("blob", w), views[seamviews.Tracks]("points", w),
		views[seamviews.Counters]("counters", w), views[seamviews.History]("history", w), views[seamviews.Table]("table", w),
		values[seamvalues.Order]("order", w), values[seamvalues.Tracks]("points", w),
		values[seamvalues.History]("history", w), values[seamvalues.Table]("table", w),
		oursCompact[seam.Example]("ex64", w), oursCompact[seam.Example]("ex4096", w),
		oursCompact[seam.Order]("order", w),
		oursCompact[seam.LogEvent]("log", w), oursCompact[seam.Blob]("blob", w), oursCompact[seam.Tracks]("points", w),
		oursCompact[seam.Counters]("counters", w), oursCompact[seam.History]("history", w), oursCompact[seam.Table]("table", w)), nil
}

// repeat is an operation that is done n times.
func repeat(do func() error) func(n int) error {
	return func(n int) error {
		for range n {
			if err := do(); err != nil {
				return err
			}
		}
		return nil
	}
}

// ours appends to a buffer that is used again, and decodes.
func ours[T any, M interface {
	*T
	seamMessage
}](lib, msg string, w Wire) []Subject {
	wire := w[msg]
	check := func() ([]byte, error) {
		m := M(new(T))
		if err := m.DecodeBinary(wire); err != nil {
			return nil, err
		}
		return m.AppendBinary(nil)
	}
	return []Subject{
		{Op: Encode, Msg: msg, Lib: lib, Size: len(wire), Check: check, Run: func(n int) error {
			m := M(new(T))
			if err := m.DecodeBinary(wire); err != nil {
				return err
			}
			var buf []byte
			return repeat(func() (err error) {
				buf, err = m.AppendBinary(buf[:0])
				return err
			})(n)
		}},
		{Op: Decode, Msg: msg, Lib: lib, Size: len(wire), Check: check, Run: repeat(func() error {
			return M(new(T)).DecodeBinary(wire)
		})},
		{Op: DecodeInto, Msg: msg, Lib: lib, Size: len(wire), Run: func(n int) error {
			used := M(new(T)) // read into again and again
			return repeat(func() error { return used.DecodeBinary(wire) })(n)
		}, Check: func() ([]byte, error) {
			used := M(new(T))
			for range 2 {
				if err := used.DecodeBinary(wire); err != nil {
					return nil, err
				}
			}
			return used.AppendBinary(nil)
		}},
	}
}

// views is the decoding of code that was generated with --views.
func views[T any, M interface {
	*T
	seamMessage
}](msg string, w Wire) []Subject {
	return ours[T, M]("seam-views", msg, w)[1:2]
}

// values is the decoding of code whose lists have structs, not pointers to them.
func values[T any, M interface {
	*T
	seamMessage
}](msg string, w Wire) []Subject {
	return ours[T, M]("seam-values", msg, w)[1:2]
}

func oursCompact[T any, M interface {
	*T
	seamMessage
}](msg string, w Wire) []Subject {
	wire := compactOf[T, M](w[msg])
	check := func() ([]byte, error) {
		m := M(new(T))
		if err := m.DecodeCompact(wire); err != nil {
			return nil, err
		}
		return m.AppendBinary(nil)
	}
	return []Subject{
		{Op: Encode, Msg: msg, Lib: "seam-compact", Size: len(wire), Check: check, Run: func(n int) error {
			m := M(new(T))
			if err := m.DecodeCompact(wire); err != nil {
				return err
			}
			var buf []byte
			return repeat(func() (err error) {
				buf, err = m.AppendCompact(buf[:0])
				return err
			})(n)
		}},
		{Op: Decode, Msg: msg, Lib: "seam-compact", Size: len(wire), Check: check, Run: repeat(func() error {
			return M(new(T)).DecodeCompact(wire)
		})},
	}
}

// compactOf is a message in the compact protocol.
func compactOf[T any, M interface {
	*T
	seamMessage
}](wire []byte) []byte {
	m := M(new(T))
	if err := m.DecodeBinary(wire); err != nil {
		panic(err)
	}
	short, err := m.AppendCompact(nil)
	if err != nil {
		panic(err)
	}
	return short
}
