package codecs

import (
	"bytes"
	"context"
	"fmt"

	"github.com/apache/thrift/lib/go/thrift"

	"github.com/seamgo/seam/bench/thrift/peers/apache"
)

// apacheMessages are the messages in the code of Apache's compiler.
var apacheMessages = map[string]apacheMessage{
	"ex64": apacheOf[apache.Example](), "ex4096": apacheOf[apache.Example](), "order": apacheOf[apache.Order](),
	"log": apacheOf[apache.LogEvent](), "blob": apacheOf[apache.Blob](), "points": apacheOf[apache.Tracks](),
	"counters": apacheOf[apache.Counters](), "history": apacheOf[apache.History](), "table": apacheOf[apache.Table](),
}

type apacheMessage struct {
	both func(msg string, w Wire) ([]Subject, error)
	read func(p protocol, wire []byte) (thrift.TStruct, error)
}

func apacheOf[T any, M interface {
	*T
	thrift.TStruct
}]() apacheMessage {
	return apacheMessage{apacheBoth[T, M], func(p protocol, wire []byte) (thrift.TStruct, error) { return apacheRead[T, M](p, wire) }}
}

// apacheSubjects are Apache's library with both protocols.
func apacheSubjects(w Wire) ([]Subject, error) {
	var all []Subject
	for _, msg := range Messages {
		s, err := apacheMessages[msg].both(msg, w)
		if err != nil {
			return nil, fmt.Errorf("apache, %s: %w", msg, err)
		}
		all = append(all, s...)
	}
	return all, nil
}

// CompactReference returns the messages in the compact protocol, as Apache writes them.
func CompactReference() (Wire, error) {
	w := Wire{}
	for _, msg := range Messages {
		m, err := apacheMessages[msg].read(binary, Reference()[msg])
		if err != nil {
			return nil, fmt.Errorf("apache, %s: %w", msg, err)
		}
		if w[msg], err = apacheWrite(compact, m); err != nil {
			return nil, fmt.Errorf("apache, %s: %w", msg, err)
		}
	}
	return w, nil
}

type protocol func(thrift.TTransport) thrift.TProtocol

func binary(t thrift.TTransport) thrift.TProtocol { return thrift.NewTBinaryProtocolConf(t, nil) }

func compact(t thrift.TTransport) thrift.TProtocol { return thrift.NewTCompactProtocolConf(t, nil) }

func apacheBoth[T any, M interface {
	*T
	thrift.TStruct
}](msg string, w Wire) ([]Subject, error) {
	m, err := apacheRead[T, M](binary, w[msg])
	if err != nil {
		return nil, err
	}
	short, err := apacheWrite(compact, m)
	if err != nil {
		return nil, err
	}
	return join(apacheOne[T, M]("apache", msg, binary, w[msg]), apacheOne[T, M]("apache-compact", msg, compact, short)), nil
}

func apacheRead[T any, M interface {
	*T
	thrift.TStruct
}](p protocol, wire []byte) (M, error) {
	m := M(new(T))
	return m, m.Read(context.Background(), p(&thrift.TMemoryBuffer{Buffer: bytes.NewBuffer(wire)}))
}

func apacheWrite(p protocol, m thrift.TStruct) ([]byte, error) {
	t := thrift.NewTMemoryBuffer()
	out := p(t)
	err := m.Write(context.Background(), out)
	if err == nil {
		err = out.Flush(context.Background()) // JSON has a buffer of its own
	}
	return t.Bytes(), err
}

// apacheOne keeps transport and protocol, as a connection of Apache's server does.
func apacheOne[T any, M interface {
	*T
	thrift.TStruct
}](lib, msg string, p protocol, wire []byte) []Subject {
	ctx := context.Background()
	check := func() ([]byte, error) {
		m, err := apacheRead[T, M](p, wire)
		if err != nil {
			return nil, err
		}
		return apacheWrite(binary, m)
	}
	return []Subject{
		{Op: Encode, Msg: msg, Lib: lib, Size: len(wire), Check: check, Run: func(n int) error {
			// Objects are made where they are used: what lies about makes the
			// garbage collector's work, and so every decoder, slower.
			m, err := apacheRead[T, M](p, wire)
			if err != nil {
				return err
			}
			t := thrift.NewTMemoryBuffer()
			out := p(t)
			for range n {
				t.Reset()
				if err := m.Write(ctx, out); err != nil {
					return err
				}
			}
			return nil
		}},
		{Op: Decode, Msg: msg, Lib: lib, Size: len(wire), Check: check, Run: func(n int) error {
			t := thrift.NewTMemoryBuffer()
			in := p(t)
			for range n {
				*t.Buffer = *bytes.NewBuffer(wire)
				m := M(new(T))
				if err := m.Read(ctx, in); err != nil {
					return err
				}
				if t.Len() > 0 {
					return fmt.Errorf("%s left %d bytes", lib, t.Len())
				}
			}
			return nil
		}},
	}
}
