package thrift

import "github.com/seamgo/seam/thrift/codec"

// AppendJSON appends m to b in Apache's JSON protocol (TJSONProtocol), which names fields
// by their numbers: {"1":{"str":"text"}}. Strings must be UTF-8. It is not meant to be
// fast: m is written in the binary protocol first.
func AppendJSON(b []byte, m Message) ([]byte, error) { return codec.AppendJSON(b, m) }

// DecodeJSON reads m from b, which holds it in Apache's JSON protocol and nothing else. Its
// limits are those of the other protocols; of the options, Views has no effect. What was in
// m is replaced. An error is a [*DecodeError].
func DecodeJSON(b []byte, m Message, opt Options) error { return codec.DecodeJSON(b, m, opt) }

// AppendSimpleJSON appends m to b as Apache's TSimpleJSONProtocol writes it, for logs and for
// other programs: fields by name, enums as numbers, bools as 1 and 0, binaries in base64.
// Nothing reads it as Thrift; for JSON there and back see package generic.
func AppendSimpleJSON(b []byte, m Message) ([]byte, error) { return codec.AppendSimpleJSON(b, m) }
