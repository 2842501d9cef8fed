package frames

import "golang.org/x/arch/x86/x86asm"

type amd64 struct{}

func (amd64) argument(i int) int8  { return [...]int8{0, 3}[i] } // AX, BX
func (amd64) returnAddress() int64 { return 8 }

func (amd64) decode(code []byte, pc uint64, list []inst) []inst {
	for len(code) > 0 {
		in := inst{pc: pc, dst: noReg, src: noReg}
		n := vexLength(code)
		if n == 0 {
			x, err := x86asm.Decode(code, 64)
			if err != nil || x.Len == 0 {
				// An instruction that the decoder doesn't know. Compiled code has
				// none; assembly may be read wrongly up to the next one that is
				// found, where a call counts only if it is of a function's entry.
				n, in.kind = 1, unknown
			} else {
				n = x.Len
				classify(&in, &x, pc+uint64(n))
			}
		}
		n = min(n, len(code))
		list = append(list, in)
		code, pc = code[n:], pc+uint64(n)
	}
	return list
}

// classify says what an instruction is for us.
func classify(in *inst, x *x86asm.Inst, next uint64) {
	goes := func(direct, indirect kind) {
		if rel, ok := x.Args[0].(x86asm.Rel); ok {
			in.kind, in.to = direct, next+uint64(int64(rel))
			return
		}
		in.kind = indirect
	}
	switch x.Op {
	case x86asm.CALL:
		goes(call, callPointer)
	case x86asm.JMP:
		goes(jump, jumpPointer)
		if m, ok := x.Args[0].(x86asm.Mem); ok && m.Index != 0 {
			in.kind = jumpTable
		}
	case x86asm.JA, x86asm.JAE, x86asm.JB, x86asm.JBE, x86asm.JCXZ, x86asm.JE, x86asm.JECXZ, x86asm.JG, x86asm.JGE,
		x86asm.JL, x86asm.JLE, x86asm.JNE, x86asm.JNO, x86asm.JNP, x86asm.JNS, x86asm.JO, x86asm.JP, x86asm.JRCXZ,
		x86asm.JS, x86asm.LOOP, x86asm.LOOPE, x86asm.LOOPNE:
		goes(branch, other)
	case x86asm.RET:
		in.kind = back
	case x86asm.UD2, x86asm.UD1:
		in.kind = stop
	case x86asm.INT:
		if v, ok := x.Args[0].(x86asm.Imm); ok && v == 3 {
			in.kind = stop
		}
	case x86asm.LEA:
		if m, ok := x.Args[1].(x86asm.Mem); ok && m.Base == x86asm.RIP {
			in.kind, in.to = address, next+uint64(m.Disp)
		}
		in.dst = general(x.Args[0])
	case x86asm.MOV:
		in.dst = general(x.Args[0])
		src := general(x.Args[1])
		if slot, ok := inFrameOf(x.Args[0]); ok {
			in.kind, in.src, in.slot = store, src, slot
		} else if slot, ok := inFrameOf(x.Args[1]); ok && x.DataSize == 64 {
			in.kind, in.slot = load, slot
		} else if src != noReg && in.dst != noReg {
			in.kind, in.src = move, src
		}
	case x86asm.CMP, x86asm.TEST, x86asm.PUSH:
	default:
		in.dst = general(x.Args[0])
	}
}

// inFrameOf is the place in the frame that an operand is, from the stack pointer.
func inFrameOf(a x86asm.Arg) (slot int64, ok bool) {
	m, ok := a.(x86asm.Mem)
	return m.Disp, ok && m.Base == x86asm.RSP && m.Index == 0
}

// general is the number of a register of 64 or 32 bits.
func general(a x86asm.Arg) int8 {
	r, ok := a.(x86asm.Reg)
	switch {
	case !ok:
	case r >= x86asm.RAX && r <= x86asm.R15:
		return int8(r - x86asm.RAX)
	case r >= x86asm.EAX && r <= x86asm.R15L:
		return int8(r - x86asm.EAX)
	}
	return noReg
}

// vexLength is the length of an instruction in the VEX or EVEX encoding (AVX, BMI,
// FMA), which the decoder doesn't know; 0 for others. In 64-bit mode their first
// byte begins nothing else.
//
// Behind the prefix stand opcode, ModRM, SIB where ModRM asks for it, the
// displacement, and in some opcodes a byte of data. See Intel's manual, volume 2,
// 2.3 and 2.7.
func vexLength(code []byte) int {
	if len(code) < 2 {
		return 0
	}
	var n int
	var space byte // of opcodes: 1 is 0F, 2 is 0F38, 3 is 0F3A
	switch code[0] {
	case 0xc5:
		n, space = 2, 1
	case 0xc4:
		n, space = 3, code[1]&0x1f
	case 0x62:
		n, space = 4, code[1]&0x07
	default:
		return 0
	}
	if len(code) < n+2 {
		return len(code)
	}
	op, modrm := code[n], code[n+1]
	if space == 1 && op == 0x77 && code[0] != 0x62 { // VZEROUPPER has no ModRM
		return n + 1
	}
	rest := code[n+2:]
	n += 2
	mod, rm := modrm>>6, modrm&7
	if mod != 3 && rm == 4 {
		if len(rest) > 0 && mod == 0 && rest[0]&7 == 5 {
			n += 4
		}
		n++
	}
	switch {
	case mod == 1:
		n++
	case mod == 2, mod == 0 && rm == 5:
		n += 4
	}
	if space == 3 || space == 1 && (op >= 0x70 && op <= 0x73 || op == 0xc2 || op >= 0xc4 && op <= 0xc6) {
		n++
	}
	return min(n, len(code))
}
