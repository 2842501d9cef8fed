package frames

import "encoding/binary"

type arm64 struct{}

func (arm64) argument(i int) int8  { return int8(i) } // R0, R1
func (arm64) returnAddress() int64 { return 0 }       // in the link register, which the callee's frame holds

// tmp is REGTMP of Go's assembler: the compiler jumps through it for tables alone.
const tmp = 27

// decode reads what we need by its bits: instructions of arm64 have one length, and
// few kinds of them matter here. See Arm's manual, C4.1.
func (arm64) decode(code []byte, pc uint64, list []inst) []inst {
	// The upper part of addresses, by register, where ADRP has just put one there.
	var pages [32]uint64
	var known [32]bool
	for ; len(code) >= 4; code, pc = code[4:], pc+4 {
		w := binary.LittleEndian.Uint32(code)
		in := inst{pc: pc, dst: noReg, src: noReg}
		var second inst // of those that do two things: with an address inside them
		rd, rn := int8(w&31), int8(w>>5&31)
		relative := func(shift, bits uint) uint64 { // an offset in words
			v := int64(w) << (64 - bits - shift) >> (64 - bits)
			return pc + uint64(v*4)
		}
		switch {
		case w&0xfc000000 == 0x94000000: // BL
			in.kind, in.to = call, relative(0, 26)
		case w&0xfc000000 == 0x14000000: // B
			in.kind, in.to = jump, relative(0, 26)
		case w&0xff000010 == 0x54000000, // B.cond
			w&0x7e000000 == 0x34000000: // CBZ, CBNZ
			in.kind, in.to = branch, relative(5, 19)
		case w&0x7e000000 == 0x36000000: // TBZ, TBNZ
			in.kind, in.to = branch, relative(5, 14)
		case w&0xfffffc1f == 0xd63f0000: // BLR
			in.kind = callPointer
		case w&0xfffffc1f == 0xd61f0000: // BR
			in.kind = jumpPointer
			if rn == tmp {
				in.kind = jumpTable
			}
		case w&0xfffffc1f == 0xd65f0000: // RET
			in.kind = back
		case w>>16 == 0, w&0xffe0001f == 0xd4200000: // UDF, BRK
			in.kind = stop
		case w&0x9f000000 == 0x90000000: // ADRP
			in.dst = rd
			pages[rd], known[rd] = pc&^0xfff+immediate(w)<<12, true
		case w&0x9f000000 == 0x10000000: // ADR
			in.kind, in.dst, in.to = address, rd, pc+immediate(w)
		case w&0xff800000 == 0x91000000: // ADD of a constant
			in.dst = rd
			if known[rn] && w&(1<<22) == 0 {
				in.kind, in.to = address, pages[rn]+uint64(w>>10&0xfff)
			}
		case w&0xffe0ffe0 == 0xaa0003e0: // MOV of registers
			in.kind, in.dst, in.src = move, rd, int8(w>>16&31)
		case w&0xff8003e0 == 0xf90003e0: // STR and LDR of a word of the frame
			in.kind, in.src, in.slot = store, rd, int64(w>>10&0xfff)*8
			if w&(1<<22) != 0 {
				in.kind, in.src, in.dst = load, noReg, rd
			}
		case w&0xff8003e0 == 0xa90003e0: // STP and LDP of two
			rt2 := int8(w >> 10 & 31)
			in.kind, in.src, in.slot = store, rd, int64(int32(w<<10)>>25)*8
			second = inst{pc: pc + 2, kind: store, dst: noReg, src: rt2, slot: in.slot + 8}
			if w&(1<<22) != 0 {
				in.kind, in.src, in.dst = load, noReg, rd
				second.kind, second.src, second.dst = load, noReg, rt2
				known[rt2] = false
			}
		case w&0x3b000000 == 0x39000000, w&0x3b000000 == 0x38000000, w&0x3a000000 == 0x28000000: // stores and loads, also of pairs
			if w&(1<<22) != 0 && w&(1<<26) == 0 {
				in.dst = rd
			}
		case w&0x1c000000 == 0x10000000, w&0x0e000000 == 0x0a000000: // arithmetic
			in.dst = rd
		}
		if in.dst == 31 {
			in.dst = noReg
		}
		if in.dst != noReg && w&0x9f000000 != 0x90000000 {
			known[in.dst] = false
		}
		list = append(list, in)
		if second.kind != other {
			list = append(list, second)
		}
	}
	return list
}

// immediate is the constant of ADR and ADRP.
func immediate(w uint32) uint64 {
	v := uint64(w>>5&0x7ffff)<<2 | uint64(w>>29&3)
	return uint64(int64(v<<43) >> 43)
}
