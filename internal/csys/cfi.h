// DWARF's call frame information, of .eh_frame (LSB core, DWARF 5 section 6.4), reduced to the three rules that a walk
// of a stack needs: for the CFA, the return address and the frame pointer. The unwinder makes tables of it, and who must
// do without tables looks one function up (frames.h).
#ifndef SEAM_CSYS_CFI_H
#define SEAM_CSYS_CFI_H

#include "kernel.h"
#include <stddef.h>

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__)) && defined(__LP64__)
// How a row finds the CFA: the stack pointer before the call.
enum seam_rule {
	SEAM_NO_TABLE, // nothing is known here: try frame pointers
	SEAM_SP,       // stack pointer + offset
	SEAM_FP,       // frame pointer + offset
	SEAM_DEREF,    // the word at frame pointer + offset (functions that realign their stack)
	SEAM_PLT,      // a stub that pushes a word at its offset-th byte
	SEAM_SIGNAL,   // a signal handler's caller: registers are in the kernel's frame
	SEAM_OUTERMOST,
	SEAM_UNKNOWN, // by a rule that rows can't express
};

// A row holds from pc on, up to the next row.
typedef struct {
	uint32_t pc;  // relative to the object's text
	int32_t cfa;  // offset << 3 | rule
	int16_t fp;   // where the caller's frame pointer is, in words from the CFA
	int16_t ra;   // where the return address is
} seam_row;

// What fp and ra may say instead of a place.
#define SEAM_SAME INT16_MIN             // still in its register
#define SEAM_LOST INT16_MAX             // nobody knows
#define SEAM_AT_FP ((int16_t)(INT16_MIN + 1)) // fp: where the frame pointer points
#define SEAM_NEVER ((int16_t)(INT16_MIN + 2)) // ra: there is no caller

#ifdef __x86_64__
enum { SEAM_REG_FP = 6, SEAM_REG_SP = 7, SEAM_REG_RA = 16 };
#else
enum { SEAM_REG_FP = 29, SEAM_REG_SP = 31, SEAM_REG_RA = 30 };
#endif

// Bytes that lie at an address. The parser takes what it points at on no trust.
typedef struct {
	const uint8_t *at;
	size_t size;
	uintptr_t address;
} seam_bytes;

typedef struct {
	uintptr_t pc, sp, fp, lr;
} seam_regs;

// seam_plain removes what arm64 may have signed a return address with, in its upper bits.
static inline SEAM_PLAIN uintptr_t seam_plain(uintptr_t pc) {
#ifdef __aarch64__
	pc &= ((uintptr_t)1 << 48) - 1;
#endif
	return pc;
}


// A cursor reads bytes up to an end. After a read beyond it all reads are 0.
typedef struct {
	const uint8_t *p, *end;
	int failed;
} csys_cursor;

CSYS uint64_t csys_fixed(csys_cursor *c, size_t n) {
	uint64_t v = 0;
	if ((size_t)(c->end - c->p) < n) {
		c->failed = 1;
		c->p = c->end;
		return 0;
	}
	memcpy(&v, c->p, n); // both architectures are little-endian
	c->p += n;
	return v;
}

CSYS uint64_t csys_leb(csys_cursor *c, int is_signed) {
	uint64_t v = 0, b;
	unsigned shift = 0;
	do {
		b = csys_fixed(c, 1);
		if (shift < 64)
			v |= (b & 0x7f) << shift;
		shift += 7;
	} while (b & 0x80);
	if (is_signed && shift < 64 && (b & 0x40))
		v |= ~(uint64_t)0 << shift;
	return v;
}

CSYS uint64_t csys_uleb(csys_cursor *c) { return csys_leb(c, 0); }
CSYS int64_t csys_sleb(csys_cursor *c) { return (int64_t)csys_leb(c, 1); }

CSYS void csys_skip(csys_cursor *c, uint64_t n) {
	if (n > (uint64_t)(c->end - c->p)) {
		c->failed = 1;
		n = (uint64_t)(c->end - c->p);
	}
	c->p += n;
}

// A pointer in one of the encodings of DW_EH_PE. An indirect one is not followed.
CSYS uintptr_t csys_pointer(csys_cursor *c, unsigned encoding, seam_bytes frame, uintptr_t data) {
	uintptr_t here = frame.address + (uintptr_t)(c->p - frame.at), v;
	switch (encoding & 0x0f) {
	case 0x00: case 0x04: case 0x0c: v = csys_fixed(c, 8); break;
	case 0x01: v = csys_uleb(c); break;
	case 0x02: v = csys_fixed(c, 2); break;
	case 0x03: v = csys_fixed(c, 4); break;
	case 0x09: v = (uintptr_t)csys_sleb(c); break;
	case 0x0a: v = (uintptr_t)(int16_t)csys_fixed(c, 2); break;
	case 0x0b: v = (uintptr_t)(int32_t)csys_fixed(c, 4); break;
	default: c->failed = 1; return 0;
	}
	switch (encoding & 0x70) {
	case 0x00: return v;
	case 0x10: return v + here;
	case 0x30: return v + data;
	}
	c->failed = 1;
	return 0;
}

// What is true of a place in a function.
typedef struct {
	int rule;
	int64_t offset;
	int16_t fp, ra;
} csys_state;

typedef struct {
	const uint8_t *at; // the record, to know it again
	uint64_t code_align;
	int64_t data_align;
	unsigned encoding;
	int sized; // FDEs have augmentation data
	int usable;
	csys_state initial;
} csys_cie;

typedef struct {
	seam_row *rows; // NULL: only count
	size_t count, room;
	uintptr_t low, want; // of one program counter alone: last is its row
	seam_row last;
} csys_sink;

CSYS void csys_emit(csys_sink *s, uintptr_t pc, csys_state st) {
	int64_t offset = st.offset;
	seam_row row = {(uint32_t)(pc - s->low), 0, st.fp, st.ra};
	int rule = st.rule;
	if (st.ra == SEAM_NEVER && rule != SEAM_SIGNAL)
		rule = SEAM_OUTERMOST;
	if (offset > INT32_MAX >> 3 || offset < INT32_MIN >> 3)
		rule = SEAM_UNKNOWN;
	if (rule == SEAM_NO_TABLE || rule >= SEAM_SIGNAL)
		offset = 0, row.fp = row.ra = SEAM_LOST;
	row.cfa = (int32_t)(uint32_t)((uint64_t)offset << 3) | rule;
	if (s->want) {
		if (pc <= s->want)
			s->last = row;
		return;
	}
	if (s->count && s->last.cfa == row.cfa && s->last.fp == row.fp && s->last.ra == row.ra)
		return;
	if (s->count && s->last.pc == row.pc) // instead of the one before, which holds nowhere
		s->count--;
	s->last = row;
	if (s->rows && s->count < s->room)
		s->rows[s->count] = row;
	s->count++;
}

// Expressions that compilers and linkers write; all others are unknown.
CSYS void csys_cfa_expression(csys_state *st, const uint8_t *e, size_t n) {
	csys_cursor c = {e, e + n, 0};
	st->rule = SEAM_UNKNOWN;
	st->offset = 0;
	unsigned op = (unsigned)csys_fixed(&c, 1);
	if (op == 0x70 + SEAM_REG_FP) { // DW_OP_breg: frame pointer + n; DW_OP_deref
		int64_t offset = csys_sleb(&c);
		if (!c.failed && c.end - c.p == 1 && *c.p == 0x06)
			st->rule = SEAM_DEREF, st->offset = offset;
		return;
	}
#ifdef __x86_64__
	// ld's PLT: rsp + 8 + ((rip & 15) >= n) * 8, with n a DW_OP_lit.
	static const uint8_t head[] = {0x77, 8, 0x80, 0, 0x3f, 0x1a}, tail[] = {0x2a, 0x33, 0x24, 0x22};
	if (n == sizeof head + 1 + sizeof tail && memcmp(e, head, sizeof head) == 0 &&
	    memcmp(e + sizeof head + 1, tail, sizeof tail) == 0 && e[sizeof head] >= 0x30 && e[sizeof head] <= 0x3f)
		st->rule = SEAM_PLT, st->offset = e[sizeof head] - 0x30;
#endif
}

// Where a register is saved. Only two are of interest.
CSYS void csys_saved(csys_state *st, uint64_t reg, int16_t place) {
	if (reg == SEAM_REG_FP)
		st->fp = place;
	else if (reg == SEAM_REG_RA)
		st->ra = place;
}

// An offset from the CFA in words, if it is one.
CSYS int16_t csys_place_of(int64_t offset) {
	int64_t words = offset / 8;
	return offset % 8 || words <= SEAM_NEVER || words >= SEAM_LOST ? SEAM_LOST : (int16_t)words;
}

CSYS void csys_cfa_is(csys_state *st, uint64_t reg, int64_t offset) {
	st->rule = reg == SEAM_REG_SP ? SEAM_SP : reg == SEAM_REG_FP ? SEAM_FP : SEAM_UNKNOWN;
	st->offset = offset;
}

// Runs the instructions of a CIE (out is NULL) or of an FDE for [at, end).
CSYS int csys_run(csys_cursor c, const csys_cie *ci, csys_state *st, csys_sink *out, uintptr_t at, uintptr_t end, seam_bytes frame, uintptr_t data) {
	enum { DEEP = 8 };
	csys_state stack[DEEP];
	int depth = 0;
	// What DW_CFA_def_cfa_register changes keeps the offset, known or not.
	while (c.p < c.end && !c.failed) {
		unsigned op = (unsigned)csys_fixed(&c, 1);
		uint64_t reg = op & 0x3f, delta = 0;
		int advance = 0;
		switch (op & 0xc0) {
		case 0x40: delta = reg; advance = 1; break;
		case 0x80: csys_saved(st, reg, csys_place_of((int64_t)((uint64_t)csys_uleb(&c) * (uint64_t)ci->data_align))); continue;
		case 0xc0:
			csys_saved(st, reg, reg == SEAM_REG_FP ? ci->initial.fp : ci->initial.ra);
			continue;
		default:
			switch (op) {
			case 0x00: break; // nop
			case 0x01: { // set_loc
				uintptr_t to = csys_pointer(&c, ci->encoding, frame, data);
				if (!out || to < at || to >= end)
					return 0;
				csys_emit(out, at, *st);
				at = to;
				break;
			}
			case 0x02: delta = csys_fixed(&c, 1); advance = 1; break;
			case 0x03: delta = csys_fixed(&c, 2); advance = 1; break;
			case 0x04: delta = csys_fixed(&c, 4); advance = 1; break;
			case 0x05: reg = csys_uleb(&c); csys_saved(st, reg, csys_place_of((int64_t)(csys_uleb(&c) * (uint64_t)ci->data_align))); break;
			case 0x06: reg = csys_uleb(&c); csys_saved(st, reg, reg == SEAM_REG_FP ? ci->initial.fp : ci->initial.ra); break;
			case 0x07: // undefined
				reg = csys_uleb(&c);
				csys_saved(st, reg, reg == SEAM_REG_RA ? SEAM_NEVER : SEAM_LOST);
				break;
			case 0x08: csys_saved(st, csys_uleb(&c), SEAM_SAME); break;
			case 0x09: reg = csys_uleb(&c); csys_uleb(&c); csys_saved(st, reg, SEAM_LOST); break; // in another register
			case 0x0a:
				if (depth == DEEP)
					return 0;
				stack[depth++] = *st;
				break;
			case 0x0b:
				if (depth == 0)
					return 0;
				*st = stack[--depth];
				break;
			case 0x0c: reg = csys_uleb(&c); csys_cfa_is(st, reg, (int64_t)csys_uleb(&c)); break;
			case 0x0d: reg = csys_uleb(&c); csys_cfa_is(st, reg, st->offset); break;
			case 0x0e: st->offset = (int64_t)csys_uleb(&c); break;
			case 0x0f: { // def_cfa_expression
				uint64_t n = csys_uleb(&c);
				const uint8_t *e = c.p;
				csys_skip(&c, n);
				if (!c.failed && st->rule != SEAM_SIGNAL)
					csys_cfa_expression(st, e, n);
				break;
			}
			case 0x10: { // expression: saved at an address
				reg = csys_uleb(&c);
				uint64_t n = csys_uleb(&c);
				const uint8_t *e = c.p;
				csys_skip(&c, n);
				if (!c.failed)
					csys_saved(st, reg, reg == SEAM_REG_FP && n == 2 && e[0] == 0x70 + SEAM_REG_FP && e[1] == 0 ? SEAM_AT_FP : SEAM_LOST);
				break;
			}
			case 0x11: reg = csys_uleb(&c); csys_saved(st, reg, csys_place_of((int64_t)((uint64_t)csys_sleb(&c) * (uint64_t)ci->data_align))); break;
			case 0x12: reg = csys_uleb(&c); csys_cfa_is(st, reg, (int64_t)((uint64_t)csys_sleb(&c) * (uint64_t)ci->data_align)); break;
			case 0x13: st->offset = (int64_t)((uint64_t)csys_sleb(&c) * (uint64_t)ci->data_align); break;
			case 0x14: reg = csys_uleb(&c); csys_uleb(&c); csys_saved(st, reg, SEAM_LOST); break; // the register is CFA + n
			case 0x15: reg = csys_uleb(&c); csys_sleb(&c); csys_saved(st, reg, SEAM_LOST); break;
			case 0x16: { // the register is an expression
				reg = csys_uleb(&c);
				csys_skip(&c, csys_uleb(&c));
				csys_saved(st, reg, SEAM_LOST);
				break;
			}
			case 0x2d: break; // DW_CFA_AARCH64_negate_ra_state: the walk removes signatures anyway
			case 0x2e: csys_uleb(&c); break; // GNU_args_size
			case 0x2f: // GNU_negative_offset_extended
				reg = csys_uleb(&c);
				csys_saved(st, reg, csys_place_of(-(int64_t)(csys_uleb(&c) * (uint64_t)ci->data_align)));
				break;
			default: return 0;
			}
		}
		if (advance && out) {
			if (ci->code_align && delta > (end - at) / ci->code_align)
				return 0;
			csys_emit(out, at, *st);
			at += delta * ci->code_align;
			if (at >= end)
				return 0;
		}
	}
	if (out)
		csys_emit(out, at, *st);
	return !c.failed;
}

// A record's contents, without its length. The id is at c->p.
CSYS int csys_record(csys_cursor *all, csys_cursor *c) {
	uint64_t n = csys_fixed(all, 4);
	if (n == 0xffffffff)
		n = csys_fixed(all, 8);
	if (all->failed || n == 0 || n > (uint64_t)(all->end - all->p) || n < 4)
		return 0;
	*c = (csys_cursor){all->p, all->p + n, 0};
	all->p += n;
	return 1;
}

CSYS void csys_read_cie(csys_cie *ci, const uint8_t *at, seam_bytes frame, uintptr_t data) {
	// Instructions that all functions of a CIE begin with are a handful. The bound keeps
	// the time for made-up ones linear in the section's size.
	enum { LONGEST = 512 };
	csys_cursor all = {at, frame.at + frame.size, 0}, c;
	*ci = (csys_cie){.at = at, .initial = {SEAM_UNKNOWN, 0, SEAM_SAME, SEAM_SAME}};
	if (!csys_record(&all, &c) || csys_fixed(&c, 4) != 0)
		return;
	unsigned version = (unsigned)csys_fixed(&c, 1);
	if (version != 1 && version != 3 && version != 4)
		return;
	const char *augmentation = (const char *)c.p;
	size_t letters = strnlen(augmentation, (size_t)(c.end - c.p));
	csys_skip(&c, letters + 1);
	if (version == 4 && (csys_fixed(&c, 1) != 8 || csys_fixed(&c, 1) != 0))
		return;
	ci->code_align = csys_uleb(&c);
	ci->data_align = csys_sleb(&c);
	uint64_t ra = version == 1 ? csys_fixed(&c, 1) : csys_uleb(&c);
	if (c.failed || ra != SEAM_REG_RA || (letters && augmentation[0] != 'z'))
		return;
	if (letters) {
		ci->sized = 1;
		uint64_t n = csys_uleb(&c);
		size_t i;
		csys_cursor a = c;
		csys_skip(&c, n);
		a.end = c.p;
		for (i = 1; i < letters; i++) {
			switch (augmentation[i]) {
			case 'L': csys_fixed(&a, 1); break;
			case 'P': {
				unsigned encoding = (unsigned)csys_fixed(&a, 1);
				if ((encoding & 0x70) == 0x50) // aligned: nobody writes it
					return;
				csys_pointer(&a, encoding & 0x0f, frame, data);
				break;
			}
			case 'R': ci->encoding = (unsigned)csys_fixed(&a, 1); break;
			case 'S': ci->initial.rule = SEAM_SIGNAL; break;
			case 'B': case 'G': break; // arm64: pointer authentication, memory tags
			default: return;
			}
		}
		c.failed |= a.failed;
	}
	if (c.failed || c.end - c.p > LONGEST || (ci->encoding & 0x80))
		return;
	int is_signal = ci->initial.rule == SEAM_SIGNAL;
	csys_state st = ci->initial;
	ci->usable = csys_run(c, ci, &st, NULL, 0, 0, frame, data);
	if (is_signal)
		st.rule = SEAM_SIGNAL;
	ci->initial = st;
}

typedef struct {
	uintptr_t low, high;
	const uint8_t *cie, *instructions, *end;
} csys_fde;

// csys_read_fde reads an FDE behind the number that leads to its CIE.
CSYS int csys_read_fde(csys_fde *f, csys_cursor c, const csys_cie *ci, seam_bytes frame, uintptr_t data) {
	if (!ci->usable)
		return 0;
	f->low = csys_pointer(&c, ci->encoding, frame, data);
	f->high = f->low + csys_pointer(&c, ci->encoding & 0x0f, frame, data);
	if (ci->sized)
		csys_skip(&c, csys_uleb(&c));
	f->cie = ci->at;
	f->instructions = c.p;
	f->end = c.end;
	return !c.failed && f->low < f->high;
}
#endif
#endif
