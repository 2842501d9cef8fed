package codec

// Skipping passes over a field that nobody asked for. It takes time linear
// in what it passes over, allocates nothing, and recurses no deeper than
// the decoder's depth. It is written once for each protocol: they differ in how
// a head is read, a call that is inlined for one protocol alone.

// SkipBinaryField passes over the field at i, whose head [Decoder.BinaryField] gave
// as h.
//
//go:noinline
func (d *Decoder) SkipBinaryField(i int, h uint32) int {
	if h >= noField {
		return ^i
	}
	return d.skipBinary(d.buf, i+3, Type(h>>16))
}

func (d *Decoder) skipBinary(b []byte, i int, t Type) int {
	if n := int(fixed[t]); n > 0 {
		if len(b)-i < n {
			return ^i
		}
		return i + n
	}
	if t == TypeString {
		if len(b)-i < 4 {
			return ^i
		}
		n := int(uint32(load32(b, i)))
		if uint(n) > uint(len(b)-i-4) {
			return ^i
		}
		return i + 4 + n
	}
	if d.depth--; d.depth < 0 {
		return ^i
	}
	i = d.skipBinaryNested(b, i, t)
	d.depth++
	return i
}

func (d *Decoder) skipBinaryNested(b []byte, i int, t Type) int {
	switch t {
	case TypeStruct:
		for {
			h := binaryField(b, i)
			if h < 1<<16 {
				return i + 1
			}
			if i = d.SkipBinaryField(i, h); i < 0 {
				return i
			}
		}
	case TypeList, TypeSet:
		if len(b)-i < 5 {
			return ^i
		}
		elem, n := Type(b[i]), int(uint32(load32(b, i+1)))
		return d.skipBinaryElements(b, i+5, n, elem, TypeStop)
	case TypeMap:
		if len(b)-i < 6 {
			return ^i
		}
		key, value, n := Type(b[i]), Type(b[i+1]), int(uint32(load32(b, i+2)))
		if n != 0 && least[value] == 0 {
			return ^i
		}
		return d.skipBinaryElements(b, i+6, n, key, value)
	}
	return ^i
}

// skipBinaryElements passes over n elements, or n pairs if there is a second
// type.
func (d *Decoder) skipBinaryElements(b []byte, i, n int, first, second Type) int {
	if n == 0 {
		return i
	}
	each := int(least[first]) + int(least[second])
	if least[first] == 0 || uint(n) > uint((len(b)-i)/each) {
		return ^i
	}
	if fixed[first] != 0 && (second == TypeStop || fixed[second] != 0) {
		return i + n*each
	}
	for range n {
		if i = d.skipBinary(b, i, first); i < 0 {
			return i
		}
		if second != TypeStop {
			if i = d.skipBinary(b, i, second); i < 0 {
				return i
			}
		}
	}
	return i
}

// SkipCompactField passes over the value at i of a field whose key
// [Decoder.CompactField] gave: a bool has none.
//
//go:noinline
func (d *Decoder) SkipCompactField(i, key int) int {
	switch key & 15 {
	case compactTrue, compactFalse:
		return i
	}
	return d.skipCompact(d.buf, i, fromCompact[key&15])
}

func (d *Decoder) skipCompact(b []byte, i int, t Type) int {
	switch t {
	case TypeBool, TypeI8, TypeDouble, TypeUUID:
		n := int(fixed[t])
		if len(b)-i < n {
			return ^i
		}
		return i + n
	case TypeI16:
		// As strict as for a field that is known: it may be kept and written
		// again in the other protocol.
		_, i = varint16(b, i)
		return i
	case TypeI32:
		_, i = varint32(b, i)
		return i
	case TypeI64:
		_, i = varint64(b, i)
		return i
	case TypeString:
		n, i := compactLength(b, i)
		if i < 0 {
			return i
		}
		if n > len(b)-i {
			return ^i
		}
		return i + n
	}
	if d.depth--; d.depth < 0 {
		return ^i
	}
	i = d.skipCompactNested(b, i, t)
	d.depth++
	return i
}

func (d *Decoder) skipCompactNested(b []byte, i int, t Type) int {
	switch t {
	case TypeStruct:
		for key := 0; ; {
			key, i = compactField(b, i, key)
			if i < 0 || key&15 == 0 {
				return i
			}
			if i = d.SkipCompactField(i, key); i < 0 {
				return i
			}
		}
	case TypeList, TypeSet:
		elem, n, i := compactListHead(b, i)
		if i < 0 {
			return i
		}
		return d.skipCompactElements(b, i, n, elem, TypeStop)
	case TypeMap:
		key, value, n, i := compactMapHead(b, i)
		if i < 0 {
			return i
		}
		if n != 0 && leastCompact[value] == 0 {
			return ^i
		}
		return d.skipCompactElements(b, i, n, key, value)
	}
	return ^i
}

func (d *Decoder) skipCompactElements(b []byte, i, n int, first, second Type) int {
	if n == 0 {
		return i
	}
	each := int(leastCompact[first]) + int(leastCompact[second])
	if leastCompact[first] == 0 || n > (len(b)-i)/each {
		return ^i
	}
	for range n {
		if i = d.skipCompact(b, i, first); i < 0 {
			return i
		}
		if second != TypeStop {
			if i = d.skipCompact(b, i, second); i < 0 {
				return i
			}
		}
	}
	return i
}
