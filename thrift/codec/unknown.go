package codec

import "math"

// Unknown holds the fields of a struct that its reader did not know, so that
// they can be written again. It is in the form of the binary protocol; fields
// that come and go in the compact one are translated.
type Unknown []byte

// AppendCompact appends a field that was read in the compact protocol: its
// key and its value, which skipping has found to be right. It is for
// generated code.
func (u Unknown) AppendCompact(key int, value []byte) Unknown {
	t, id := fromCompact[key&15], key>>4
	u = append(u, byte(t), byte(id>>8), byte(id))
	if t == TypeBool {
		return append(u, Byte(key&15 == compactTrue))
	}
	u, _ = toBinary(u, value, 0, t)
	return u
}

// toBinary appends the value of type t at i of b, which is in the compact
// protocol, to u, and returns the position after it.
func toBinary(u, b []byte, i int, t Type) ([]byte, int) {
	switch t {
	case TypeBool:
		return append(u, Byte(b[i] == compactTrue)), i + 1
	case TypeI8:
		return append(u, b[i]), i + 1
	case TypeDouble:
		for k := 7; k >= 0; k-- {
			u = append(u, b[i+k])
		}
		return u, i + 8
	case TypeUUID:
		return append(u, b[i:i+16]...), i + 16
	case TypeI16:
		n, i := fastUvarint(b, i)
		v := zigzag(n)
		return append(u, byte(v>>8), byte(v)), i
	case TypeI32:
		n, i := fastUvarint(b, i)
		return appendLength(u, int(int32(zigzag(n)))), i
	case TypeI64:
		n, i := fastUvarint(b, i)
		v := uint64(zigzag(n))
		return appendLength(appendLength(u, int(int32(v>>32))), int(int32(v))), i
	case TypeString:
		n, i := compactLength(b, i)
		return AppendBinaryBytes(u, 0, b[i:i+n]), i + n
	case TypeStruct:
		for key := 0; ; {
			key, i = compactField(b, i, key)
			if key == 0 {
				return append(u, 0), i
			}
			t, id := fromCompact[key&15], key>>4
			u = append(u, byte(t), byte(id>>8), byte(id))
			if t == TypeBool {
				u = append(u, Byte(key&15 == compactTrue))
				continue
			}
			u, i = toBinary(u, b, i, t)
		}
	case TypeMap:
		key, value, n, i := compactMapHead(b, i)
		u = AppendBinaryMap(u, 0, key, value, n)
		for range n {
			u, i = toBinary(u, b, i, key)
			u, i = toBinary(u, b, i, value)
		}
		return u, i
	}
	elem, n, i := compactListHead(b, i)
	u = AppendBinaryList(u, 0, elem, n)
	for range n {
		u, i = toBinary(u, b, i, elem)
	}
	return u, i
}

func appendLength(b []byte, n int) []byte {
	return append(b, byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
}

// Compact appends the fields to b in the compact protocol, when before is
// the number of the field before. Fields that can't be read, because someone
// has put other bytes into u, are left out. It is for generated code.
func (u Unknown) Compact(b []byte, before int) []byte {
	// What fills u has made sure that it is right, but the field is public.
	// The depth is what the stack has room for.
	d := Decoder{buf: u, depth: 1 << 17}
	for i := 0; i < len(u); {
		h := binaryField(u, i)
		if h < 1<<16 {
			return b
		}
		next := d.SkipBinaryField(i, h)
		if next < 0 {
			return b
		}
		id := int(int16(h))
		b, _ = appendField(b, u, i+3, Type(h>>16), before, id)
		before, i = id, next
	}
	return b
}

func appendField(b, u []byte, i int, t Type, before, id int) ([]byte, int) {
	if t == TypeBool {
		return AppendCompactField(b, before, id, compactFalse-Byte(u[i] != 0)), i + 1
	}
	return fromBinary(AppendCompactField(b, before, id, toCompact[t]), u, i, t)
}

// fromBinary is toBinary in the other direction.
func fromBinary(b, u []byte, i int, t Type) ([]byte, int) {
	switch t {
	case TypeBool:
		return AppendCompactBool(b, u[i] != 0), i + 1
	case TypeI8:
		return append(b, u[i]), i + 1
	case TypeDouble:
		return AppendCompactDouble(b, 0, math.Float64frombits(uint64(load64(u, i)))), i + 8
	case TypeUUID:
		return append(b, u[i:i+16]...), i + 16
	case TypeI16:
		return AppendCompactI32(b, 0, int32(load16(u, i))), i + 2
	case TypeI32:
		return AppendCompactI32(b, 0, load32(u, i)), i + 4
	case TypeI64:
		return AppendCompactI64(b, 0, load64(u, i)), i + 8
	case TypeString:
		n := int(load32(u, i))
		return AppendCompactBytes(b, 0, u[i+4:i+4+n]), i + 4 + n
	case TypeStruct:
		for before := 0; ; {
			h := binaryField(u, i)
			if h < 1<<16 {
				return append(b, 0), i + 1
			}
			id := int(int16(h))
			b, i = appendField(b, u, i+3, Type(h>>16), before, id)
			before = id
		}
	case TypeMap:
		key, value, n := Type(u[i]), Type(u[i+1]), int(load32(u, i+2))
		i += 6
		b = AppendCompactMap(b, 0, key, value, n)
		for range n {
			b, i = fromBinary(b, u, i, key)
			b, i = fromBinary(b, u, i, value)
		}
		return b, i
	}
	elem, n := Type(u[i]), int(load32(u, i+1))
	i += 5
	b = AppendCompactList(b, 0, elem, n)
	for range n {
		b, i = fromBinary(b, u, i, elem)
	}
	return b, i
}
