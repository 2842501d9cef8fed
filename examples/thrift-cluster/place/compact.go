package place

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/cloudwego/kitex/pkg/remote"
	"github.com/cloudwego/kitex/pkg/remote/codec"
	"github.com/cloudwego/kitex/pkg/rpcinfo"
	"github.com/cloudwego/kitex/pkg/serviceinfo"
	"github.com/cloudwego/kitex/transport"

	"github.com/seamgo/seam/thrift"
)

// compactCodec is Kitex's codec of a server, and reads what that does not: the compact
// protocol in frames, as clients of Apache's Thrift send it. Middlewares, traces and metrics
// see such calls as all others. What a client speaks shows in the first bytes of each call, and
// it is answered in kind.
type compactCodec struct{ remote.Codec }

func newCodec() remote.Codec { return compactCodec{codec.NewDefaultCodec()} }

// largest bounds a call.
const largest = 1 << 20

// compactKey is an extra of the invocation of a call that came in the compact protocol.
const compactKey = "seam.compact"

// isCompact looks at a frame's length and the two bytes that begin a compact message.
func isCompact(head []byte) bool { return head[0] < 0x80 && head[4] == 0x82 && head[5]&0x1f == 1 }

func (c compactCodec) Decode(ctx context.Context, m remote.Message, in remote.ByteBuffer) error {
	// Eight bytes are what Kitex waits for as well. No compact call is shorter.
	head, err := in.Peek(8)
	if err != nil || !isCompact(head) {
		return c.Codec.Decode(ctx, m, in)
	}
	size := int(binary.BigEndian.Uint32(head))
	if size > largest {
		return remote.NewTransErrorWithMsg(remote.ProtocolError, fmt.Sprintf("a call of %d bytes, the limit is %d", size, largest))
	}
	frame, err := in.Next(4 + size)
	if err != nil {
		return err
	}
	ink := m.RPCInfo().Invocation().(rpcinfo.InvocationSetter)
	ink.SetExtra(compactKey, true)
	if c := rpcinfo.AsMutableRPCConfig(m.RPCInfo().Config()); c != nil {
		_ = c.SetTransportProtocol(transport.Framed)
		c.SetPayloadCodec(serviceinfo.Thrift)
	}
	if s := rpcinfo.AsMutableRPCStats(m.RPCInfo().Stats()); s != nil {
		s.SetRecvSize(uint64(len(frame)))
	}
	m.SetPayloadLen(size)
	return decodeCompact(ctx, m, frame[4:])
}

func decodeCompact(ctx context.Context, m remote.Message, b []byte) error {
	header, n, err := thrift.ParseMessageHeader(b)
	if err != nil {
		return remote.NewTransError(remote.ProtocolError, err)
	}
	if err := codec.UpdateMsgType(uint32(header.Type), m); err != nil {
		return err
	}
	if err := codec.SetOrCheckSeqID(header.Seq, m); err != nil {
		return err
	}
	name := string(header.Name)
	if err := codec.SetOrCheckMethodName(ctx, name, m); err != nil {
		return err
	}
	if err := codec.NewDataIfNeeded(name, m); err != nil {
		return err
	}
	args, ok := m.Data().(thrift.Body)
	if !ok {
		return remote.NewTransErrorWithMsg(remote.InternalError, fmt.Sprintf("%T has no compact form", m.Data()))
	}
	k, err := thrift.DecodeCompact(b[n:], args, thrift.Options{Limits: thrift.Limits{Message: largest}})
	if err == nil && n+k != len(b) {
		err = fmt.Errorf("%d bytes behind the arguments of %s", len(b)-n-k, name)
	}
	if err != nil {
		return remote.NewTransError(remote.ProtocolError, err)
	}
	return nil
}

func (c compactCodec) Encode(ctx context.Context, m remote.Message, out remote.ByteBuffer) error {
	ink := m.RPCInfo().Invocation()
	if ink.Extra(compactKey) == nil {
		return c.Codec.Encode(ctx, m, out)
	}
	b := thrift.AppendMessageHeader(make([]byte, 4, 256), thrift.Compact, ink.MethodName(), thrift.MessageType(m.MessageType()), ink.SeqID())
	switch data := m.Data().(type) {
	case thrift.Body:
		var err error
		if b, err = data.AppendCompact(b); err != nil {
			return err
		}
	case *remote.TransError:
		b = appendException(b, data.TypeID(), data.Error())
	case error:
		b = appendException(b, remote.InternalError, data.Error())
	default:
		return fmt.Errorf("%T has no compact form", data)
	}
	binary.BigEndian.PutUint32(b, uint32(len(b)-4))
	_, err := out.WriteBinary(b)
	return err
}

// appendException appends Thrift's TApplicationException: field 1 is its message, field 2
// its type.
func appendException(b []byte, kind int32, message string) []byte {
	const text, i32, next = 8, 5, 1 << 4
	b = append(b, next|text)
	b = binary.AppendUvarint(b, uint64(len(message)))
	b = append(b, message...)
	b = append(b, next|i32)
	b = binary.AppendVarint(b, int64(kind)) // zigzag, as Thrift has it
	return append(b, 0)
}
