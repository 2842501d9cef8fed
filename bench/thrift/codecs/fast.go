package codecs

import (
	"fmt"

	"github.com/cloudwego/frugal"
	gopkg "github.com/cloudwego/gopkg/protocol/thrift"

	"github.com/seamgo/seam/bench/thrift/peers/fastgo"
	frugalpeer "github.com/seamgo/seam/bench/thrift/peers/frugal"
	"github.com/seamgo/seam/bench/thrift/peers/kitex"
)

// fastCodec is what Kitex's and thriftgo's compilers generate.
type fastCodec interface {
	BLength() int
	FastWriteNocopy([]byte, gopkg.NocopyWriter) int
	FastRead([]byte) (int, error)
}

// kitexSubjects are Kitex's FastCodec.
func kitexSubjects(w Wire) ([]Subject, error) {
	return join(
		fast[kitex.Example]("kitex", "ex64", w), fast[kitex.Example]("kitex", "ex4096", w),
		fast[kitex.Order]("kitex", "order", w),
		fast[kitex.LogEvent]("kitex", "log", w), fast[kitex.Blob]("kitex", "blob", w), fast[kitex.Tracks]("kitex", "points", w),
		fast[kitex.Counters]("kitex", "counters", w), fast[kitex.History]("kitex", "history", w), fast[kitex.Table]("kitex", "table", w)), nil
}

// fastgoSubjects are thriftgo's generator fastgo.
func fastgoSubjects(w Wire) ([]Subject, error) {
	return join(
		fast[fastgo.Example]("fastgo", "ex64", w), fast[fastgo.Example]("fastgo", "ex4096", w),
		fast[fastgo.Order]("fastgo", "order", w),
		fast[fastgo.LogEvent]("fastgo", "log", w), fast[fastgo.Blob]("fastgo", "blob", w), fast[fastgo.Tracks]("fastgo", "points", w),
		fast[fastgo.Counters]("fastgo", "counters", w), fast[fastgo.History]("fastgo", "history", w), fast[fastgo.Table]("fastgo", "table", w)), nil
}

// frugalSubjects are frugal, which reads the types by reflection.
func frugalSubjects(w Wire) ([]Subject, error) {
	return join(
		reflected[frugalpeer.Example]("ex64", w), reflected[frugalpeer.Example]("ex4096", w),
		reflected[frugalpeer.Order]("order", w),
		reflected[frugalpeer.LogEvent]("log", w), reflected[frugalpeer.Blob]("blob", w), reflected[frugalpeer.Tracks]("points", w),
		reflected[frugalpeer.Counters]("counters", w), reflected[frugalpeer.History]("history", w), reflected[frugalpeer.Table]("table", w)), nil
}

func join(s ...[]Subject) (all []Subject) {
	for _, one := range s {
		all = append(all, one...)
	}
	return all
}

func fastWrite(m fastCodec) []byte {
	b := make([]byte, m.BLength())
	return b[:m.FastWriteNocopy(b, nil)]
}

// fast does what Kitex's server does: a buffer of the length that the message says
// it has, which here is used again.
func fast[T any, M interface {
	*T
	fastCodec
}](lib, msg string, w Wire) []Subject {
	wire := w[msg]
	decode := func() (M, error) {
		m := M(new(T))
		n, err := m.FastRead(wire)
		if err == nil && n != len(wire) {
			err = fmt.Errorf("%s read %d of %d bytes", lib, n, len(wire))
		}
		return m, err
	}
	check := func() ([]byte, error) {
		m, err := decode()
		return fastWrite(m), err
	}
	encode := func(n int) error {
		m, err := decode()
		if err != nil {
			return err
		}
		var buf []byte
		for range n {
			buf = grow(buf, m.BLength())
			if m.FastWriteNocopy(buf, nil) != len(wire) {
				return fmt.Errorf("%s did not write %d bytes", lib, len(wire))
			}
		}
		return nil
	}
	return []Subject{
		{Op: Encode, Msg: msg, Lib: lib, Size: len(wire), Run: encode, Check: check},
		{Op: Decode, Msg: msg, Lib: lib, Size: len(wire), Check: check, Run: func(n int) error {
			for range n {
				if _, err := decode(); err != nil {
					return err
				}
			}
			return nil
		}},
	}
}

func reflected[T any](msg string, w Wire) []Subject {
	wire := w[msg]
	decode := func() (*T, error) {
		m := new(T)
		n, err := frugal.DecodeObject(wire, m)
		if err == nil && n != len(wire) {
			err = fmt.Errorf("frugal read %d of %d bytes", n, len(wire))
		}
		return m, err
	}
	write := func(buf []byte, m *T) ([]byte, error) {
		buf = grow(buf, frugal.EncodedSize(m))
		n, err := frugal.EncodeObject(buf, nil, m)
		return buf[:n], err
	}
	check := func() ([]byte, error) {
		m, err := decode()
		if err != nil {
			return nil, err
		}
		return write(nil, m)
	}
	encode := func(n int) error {
		m, err := decode()
		if err != nil {
			return err
		}
		var buf []byte
		for range n {
			if buf, err = write(buf, m); err != nil {
				return err
			}
		}
		return nil
	}
	return []Subject{
		{Op: Encode, Msg: msg, Lib: "frugal", Size: len(wire), Run: encode, Check: check},
		{Op: Decode, Msg: msg, Lib: "frugal", Size: len(wire), Check: check, Run: func(n int) error {
			for range n {
				if _, err := decode(); err != nil {
					return err
				}
			}
			return nil
		}},
	}
}
