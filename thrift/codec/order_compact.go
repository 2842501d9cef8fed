package codec

import "unsafe"

// The functions of order_binary.go for the compact protocol. A head is the distance to the
// field before, which the Decoder knows, so what is asked for is a key: the field's number,
// which is over 0, shifted left by four bits, with the type below. [Decoder.Fresh] begins.

// CompactAt reports whether a field with that key is at i, and gives the position after its
// head.
//
//go:noinline
func (d *Decoder) CompactAt(i, key int) (next int, ok bool) {
	if uint(i) >= uint(len(d.buf)) {
		return i, false
	}
	c := int(d.buf[i])
	if c >= 16 {
		if d.key+c != key {
			return i, false
		}
		d.key = key &^ 15
		return i + 1, true
	}
	return d.longAt(i, key)
}

// longAt is CompactAt for a head that has the whole number.
//
//go:noinline
func (d *Decoder) longAt(i, key int) (next int, ok bool) {
	if i < 0 {
		return i, false
	}
	found, next := compactField(d.buf, i, 0)
	if found != key {
		return i, false
	}
	d.key = key &^ 15
	return next, true
}

// CompactEnd reports whether a struct ends at i with the byte that all writers use.
func (d *Decoder) CompactEnd(i int) bool { return uint(i) < uint(len(d.buf)) && d.buf[i] == 0 }

// CompactRest is [Decoder.BinaryRest].
//
//go:noinline
func (d *Decoder) CompactRest(i, start int, last uint16) (next int, again bool) {
	if i < 0 {
		return i, false
	}
	unknown := i == start
	for {
		key, next := compactField(d.buf, i, d.key)
		if key == 0 {
			return next, false
		}
		if uint16(key>>4) <= last && !unknown {
			return i, true
		}
		if i = d.SkipCompactField(next, key); i < 0 {
			return i, false
		}
		d.key = key &^ 15
		unknown = false
	}
}

// Behind has the field with that key be the one before: while its value was read, which has
// structs, there were others.
func (d *Decoder) Behind(key int) { d.key = key &^ 15 }

// CompactStringField reads the field with that key if it is at i.
func (d *Decoder) CompactStringField(i, key int, to *string) int {
	if uint(i) >= uint(len(d.buf)) {
		return i
	}
	c := int(d.buf[i])
	if c < 16 {
		next, ok := d.longAt(i, key)
		if !ok {
			return i
		}
		i = next
	} else {
		if d.key+c != key {
			return i
		}
		d.key = key &^ 15
		i++
	}
	var n int
	if i < len(d.buf) && d.buf[i] < 0x80 {
		n = int(d.buf[i])
		i++
	} else if n, i = compactLength(d.buf, i); i < 0 {
		return i
	}
	if uint(n-1) < d.short && len(d.buf)-i >= 2*short && d.used < d.most {
		*(*header)(unsafe.Pointer(to)) = header{d.shortText(i, n), n}
		return i + n
	}
	return d.longString(i, n, to)
}

// CompactBoolField reads the field with that number, shifted left by four bits, if it is at i.
//
//go:noinline
func (d *Decoder) CompactBoolField(i, number int, to *bool) int {
	next, ok := d.CompactAt(i, number|compactTrue)
	if ok {
		*to = true
		return next
	}
	if next, ok = d.CompactAt(i, number|compactFalse); ok {
		*to = false
	}
	return next
}

// CompactBoolPtrField is CompactBoolField for an optional field.
//
//go:noinline
func (d *Decoder) CompactBoolPtrField(i, number int, to **bool) int {
	var v bool
	n := d.CompactBoolField(i, number, &v)
	if n != i {
		*to = Place(d, v)
	}
	return n
}

// CompactI8Field reads the field with that key if it is at i.
//
//go:noinline
func (d *Decoder) CompactI8Field(i, key int, to *int8) int {
	next, ok := d.CompactAt(i, key)
	if !ok {
		return i
	}
	return d.CompactI8(next, to)
}

// CompactI16Field reads the field with that key if it is at i.
//
//go:noinline
func (d *Decoder) CompactI16Field(i, key int, to *int16) int {
	next, ok := d.CompactAt(i, key)
	if !ok {
		return i
	}
	*to, i = varint16(d.buf, next)
	return i
}

// CompactI32Field reads the field with that key if it is at i.
//
//go:noinline
func (d *Decoder) CompactI32Field(i, key int, to *int32) int {
	if uint(i) >= uint(len(d.buf)) {
		return i
	}
	if c := int(d.buf[i]); c < 16 {
		next, ok := d.longAt(i, key)
		if !ok {
			return i
		}
		i = next
	} else {
		if d.key+c != key {
			return i
		}
		d.key = key &^ 15
		i++
	}
	*to, i = varint32(d.buf, i)
	return i
}

// CompactI64Field reads the field with that key if it is at i.
//
//go:noinline
func (d *Decoder) CompactI64Field(i, key int, to *int64) int {
	if uint(i) >= uint(len(d.buf)) {
		return i
	}
	if c := int(d.buf[i]); c < 16 {
		next, ok := d.longAt(i, key)
		if !ok {
			return i
		}
		i = next
	} else {
		if d.key+c != key {
			return i
		}
		d.key = key &^ 15
		i++
	}
	*to, i = varint64(d.buf, i)
	return i
}

// CompactDoubleField reads the field with that key if it is at i.
//
//go:noinline
func (d *Decoder) CompactDoubleField(i, key int, to *float64) int {
	next, ok := d.CompactAt(i, key)
	if !ok {
		return i
	}
	return d.CompactDouble(next, to)
}

// CompactUUIDField reads the field with that key if it is at i.
//
//go:noinline
func (d *Decoder) CompactUUIDField(i, key int, to *UUID) int {
	next, ok := d.CompactAt(i, key)
	if !ok {
		return i
	}
	return d.CompactUUID(next, to)
}
