//go:build cgo && linux && (amd64 || arm64)

// Rows from .eh_frame: the records of DWARF's call frame information (LSB core, DWARF 5
// section 6.4), reduced to the three rules that a walk needs: for the CFA, the return address
// and the frame pointer.
#include "unwind.h"

#ifdef SEAM_UNWIND
#include <string.h>

// A cursor reads bytes up to an end. After a read beyond it all reads are 0.
typedef struct {
	const uint8_t *p, *end;
	int failed;
} cursor;

static uint64_t fixed(cursor *c, size_t n) {
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

static uint64_t leb(cursor *c, int is_signed) {
	uint64_t v = 0, b;
	unsigned shift = 0;
	do {
		b = fixed(c, 1);
		if (shift < 64)
			v |= (b & 0x7f) << shift;
		shift += 7;
	} while (b & 0x80);
	if (is_signed && shift < 64 && (b & 0x40))
		v |= ~(uint64_t)0 << shift;
	return v;
}

static uint64_t uleb(cursor *c) { return leb(c, 0); }
static int64_t sleb(cursor *c) { return (int64_t)leb(c, 1); }

static void skip(cursor *c, uint64_t n) {
	if (n > (uint64_t)(c->end - c->p)) {
		c->failed = 1;
		n = (uint64_t)(c->end - c->p);
	}
	c->p += n;
}

// A pointer in one of the encodings of DW_EH_PE. An indirect one is not followed.
static uintptr_t pointer(cursor *c, unsigned encoding, seam_bytes frame, uintptr_t data) {
	uintptr_t here = frame.address + (uintptr_t)(c->p - frame.at), v;
	switch (encoding & 0x0f) {
	case 0x00: case 0x04: case 0x0c: v = fixed(c, 8); break;
	case 0x01: v = uleb(c); break;
	case 0x02: v = fixed(c, 2); break;
	case 0x03: v = fixed(c, 4); break;
	case 0x09: v = (uintptr_t)sleb(c); break;
	case 0x0a: v = (uintptr_t)(int16_t)fixed(c, 2); break;
	case 0x0b: v = (uintptr_t)(int32_t)fixed(c, 4); break;
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
} state;

typedef struct {
	const uint8_t *at; // the record, to know it again
	uint64_t code_align;
	int64_t data_align;
	unsigned encoding;
	int sized; // FDEs have augmentation data
	int usable;
	state initial;
} cie;

typedef struct {
	seam_row *rows; // NULL: only count
	size_t count, room;
	uintptr_t low;
	uint32_t last_pc;
	seam_row last;
} sink;

static void emit(sink *s, uintptr_t pc, state st) {
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
static void cfa_expression(state *st, const uint8_t *e, size_t n) {
	cursor c = {e, e + n, 0};
	st->rule = SEAM_UNKNOWN;
	st->offset = 0;
	unsigned op = (unsigned)fixed(&c, 1);
	if (op == 0x70 + SEAM_REG_FP) { // DW_OP_breg: frame pointer + n; DW_OP_deref
		int64_t offset = sleb(&c);
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
static void saved(state *st, uint64_t reg, int16_t place) {
	if (reg == SEAM_REG_FP)
		st->fp = place;
	else if (reg == SEAM_REG_RA)
		st->ra = place;
}

// An offset from the CFA in words, if it is one.
static int16_t place_of(int64_t offset) {
	int64_t words = offset / 8;
	return offset % 8 || words <= SEAM_NEVER || words >= SEAM_LOST ? SEAM_LOST : (int16_t)words;
}

static void cfa_is(state *st, uint64_t reg, int64_t offset) {
	st->rule = reg == SEAM_REG_SP ? SEAM_SP : reg == SEAM_REG_FP ? SEAM_FP : SEAM_UNKNOWN;
	st->offset = offset;
}

// Runs the instructions of a CIE (out is NULL) or of an FDE for [at, end).
static int run(cursor c, const cie *ci, state *st, sink *out, uintptr_t at, uintptr_t end, seam_bytes frame, uintptr_t data) {
	enum { DEEP = 8 };
	state stack[DEEP];
	int depth = 0;
	// What DW_CFA_def_cfa_register changes keeps the offset, known or not.
	while (c.p < c.end && !c.failed) {
		unsigned op = (unsigned)fixed(&c, 1);
		uint64_t reg = op & 0x3f, delta = 0;
		int advance = 0;
		switch (op & 0xc0) {
		case 0x40: delta = reg; advance = 1; break;
		case 0x80: saved(st, reg, place_of((int64_t)((uint64_t)uleb(&c) * (uint64_t)ci->data_align))); continue;
		case 0xc0:
			saved(st, reg, reg == SEAM_REG_FP ? ci->initial.fp : ci->initial.ra);
			continue;
		default:
			switch (op) {
			case 0x00: break; // nop
			case 0x01: { // set_loc
				uintptr_t to = pointer(&c, ci->encoding, frame, data);
				if (!out || to < at || to >= end)
					return 0;
				emit(out, at, *st);
				at = to;
				break;
			}
			case 0x02: delta = fixed(&c, 1); advance = 1; break;
			case 0x03: delta = fixed(&c, 2); advance = 1; break;
			case 0x04: delta = fixed(&c, 4); advance = 1; break;
			case 0x05: reg = uleb(&c); saved(st, reg, place_of((int64_t)(uleb(&c) * (uint64_t)ci->data_align))); break;
			case 0x06: reg = uleb(&c); saved(st, reg, reg == SEAM_REG_FP ? ci->initial.fp : ci->initial.ra); break;
			case 0x07: // undefined
				reg = uleb(&c);
				saved(st, reg, reg == SEAM_REG_RA ? SEAM_NEVER : SEAM_LOST);
				break;
			case 0x08: saved(st, uleb(&c), SEAM_SAME); break;
			case 0x09: reg = uleb(&c); uleb(&c); saved(st, reg, SEAM_LOST); break; // in another register
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
			case 0x0c: reg = uleb(&c); cfa_is(st, reg, (int64_t)uleb(&c)); break;
			case 0x0d: reg = uleb(&c); cfa_is(st, reg, st->offset); break;
			case 0x0e: st->offset = (int64_t)uleb(&c); break;
			case 0x0f: { // def_cfa_expression
				uint64_t n = uleb(&c);
				const uint8_t *e = c.p;
				skip(&c, n);
				if (!c.failed && st->rule != SEAM_SIGNAL)
					cfa_expression(st, e, n);
				break;
			}
			case 0x10: { // expression: saved at an address
				reg = uleb(&c);
				uint64_t n = uleb(&c);
				const uint8_t *e = c.p;
				skip(&c, n);
				if (!c.failed)
					saved(st, reg, reg == SEAM_REG_FP && n == 2 && e[0] == 0x70 + SEAM_REG_FP && e[1] == 0 ? SEAM_AT_FP : SEAM_LOST);
				break;
			}
			case 0x11: reg = uleb(&c); saved(st, reg, place_of((int64_t)((uint64_t)sleb(&c) * (uint64_t)ci->data_align))); break;
			case 0x12: reg = uleb(&c); cfa_is(st, reg, (int64_t)((uint64_t)sleb(&c) * (uint64_t)ci->data_align)); break;
			case 0x13: st->offset = (int64_t)((uint64_t)sleb(&c) * (uint64_t)ci->data_align); break;
			case 0x14: reg = uleb(&c); uleb(&c); saved(st, reg, SEAM_LOST); break; // the register is CFA + n
			case 0x15: reg = uleb(&c); sleb(&c); saved(st, reg, SEAM_LOST); break;
			case 0x16: { // the register is an expression
				reg = uleb(&c);
				skip(&c, uleb(&c));
				saved(st, reg, SEAM_LOST);
				break;
			}
			case 0x2d: break; // DW_CFA_AARCH64_negate_ra_state: the walk removes signatures anyway
			case 0x2e: uleb(&c); break; // GNU_args_size
			case 0x2f: // GNU_negative_offset_extended
				reg = uleb(&c);
				saved(st, reg, place_of(-(int64_t)(uleb(&c) * (uint64_t)ci->data_align)));
				break;
			default: return 0;
			}
		}
		if (advance && out) {
			if (ci->code_align && delta > (end - at) / ci->code_align)
				return 0;
			emit(out, at, *st);
			at += delta * ci->code_align;
			if (at >= end)
				return 0;
		}
	}
	if (out)
		emit(out, at, *st);
	return !c.failed;
}

// A record's contents, without its length. The id is at c->p.
static int record(cursor *all, cursor *c) {
	uint64_t n = fixed(all, 4);
	if (n == 0xffffffff)
		n = fixed(all, 8);
	if (all->failed || n == 0 || n > (uint64_t)(all->end - all->p) || n < 4)
		return 0;
	*c = (cursor){all->p, all->p + n, 0};
	all->p += n;
	return 1;
}

static void read_cie(cie *ci, const uint8_t *at, seam_bytes frame, uintptr_t data) {
	// Instructions that all functions of a CIE begin with are a handful. The bound keeps
	// the time for made-up ones linear in the section's size.
	enum { LONGEST = 512 };
	cursor all = {at, frame.at + frame.size, 0}, c;
	*ci = (cie){.at = at, .initial = {SEAM_UNKNOWN, 0, SEAM_SAME, SEAM_SAME}};
	if (!record(&all, &c) || fixed(&c, 4) != 0)
		return;
	unsigned version = (unsigned)fixed(&c, 1);
	if (version != 1 && version != 3 && version != 4)
		return;
	const char *augmentation = (const char *)c.p;
	size_t letters = strnlen(augmentation, (size_t)(c.end - c.p));
	skip(&c, letters + 1);
	if (version == 4 && (fixed(&c, 1) != 8 || fixed(&c, 1) != 0))
		return;
	ci->code_align = uleb(&c);
	ci->data_align = sleb(&c);
	uint64_t ra = version == 1 ? fixed(&c, 1) : uleb(&c);
	if (c.failed || ra != SEAM_REG_RA || (letters && augmentation[0] != 'z'))
		return;
	if (letters) {
		ci->sized = 1;
		uint64_t n = uleb(&c);
		cursor a = c;
		skip(&c, n);
		a.end = c.p;
		for (size_t i = 1; i < letters; i++) {
			switch (augmentation[i]) {
			case 'L': fixed(&a, 1); break;
			case 'P': {
				unsigned encoding = (unsigned)fixed(&a, 1);
				if ((encoding & 0x70) == 0x50) // aligned: nobody writes it
					return;
				pointer(&a, encoding & 0x0f, frame, data);
				break;
			}
			case 'R': ci->encoding = (unsigned)fixed(&a, 1); break;
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
	state st = ci->initial;
	ci->usable = run(c, ci, &st, NULL, 0, 0, frame, data);
	if (is_signal)
		st.rule = SEAM_SIGNAL;
	ci->initial = st;
}

typedef struct {
	uintptr_t low, high;
	const uint8_t *cie, *instructions, *end;
} fde;

// Reads one FDE. ci is the CIE that was read last.
static int read_fde(fde *f, cursor c, cie *ci, seam_bytes frame, uintptr_t data) {
	const uint8_t *id = c.p;
	uint64_t back = fixed(&c, 4);
	if (c.failed || back == 0 || back > (uint64_t)(id - frame.at))
		return 0;
	if (ci->at != id - back)
		read_cie(ci, id - back, frame, data);
	if (!ci->usable)
		return 0;
	f->low = pointer(&c, ci->encoding, frame, data);
	f->high = f->low + pointer(&c, ci->encoding & 0x0f, frame, data);
	if (ci->sized)
		skip(&c, uleb(&c));
	f->cie = ci->at;
	f->instructions = c.p;
	f->end = c.end;
	return !c.failed && f->low < f->high;
}

// Sorts by address: a heap, for there is no malloc in it and no bad case.
static void sift(fde *f, size_t i, size_t n) {
	for (;;) {
		size_t child = 2 * i + 1;
		if (child >= n)
			return;
		if (child + 1 < n && f[child + 1].low > f[child].low)
			child++;
		if (f[i].low >= f[child].low)
			return;
		fde t = f[i];
		f[i] = f[child];
		f[child] = t;
		i = child;
	}
}

static void sort(fde *f, size_t n) {
	size_t i = 1;
	while (i < n && f[i - 1].low <= f[i].low)
		i++;
	if (i >= n)
		return; // as linkers write them, mostly
	for (i = n / 2; i-- > 0;)
		sift(f, i, n);
	for (i = n; i-- > 1;) {
		fde t = f[0];
		f[0] = f[i];
		f[i] = t;
		sift(f, 0, i);
	}
}

static size_t functions(seam_bytes frame, uintptr_t low, uintptr_t high, uintptr_t data, fde *list) {
	cursor all = {frame.at, frame.at + frame.size, 0}, c;
	cie ci = {0};
	size_t n = 0;
	while (record(&all, &c)) {
		fde f;
		if (read_fde(&f, c, &ci, frame, data) && f.low >= low && f.high <= high) {
			if (list)
				list[n] = f;
			n++;
		}
	}
	return n;
}

static void rows_of(const fde *list, size_t n, seam_bytes frame, uintptr_t data, sink *out) {
	cie ci = {0};
	uintptr_t end = out->low;
	const state none = {SEAM_NO_TABLE, 0, SEAM_LOST, SEAM_LOST}, unknown = {SEAM_UNKNOWN, 0, SEAM_LOST, SEAM_LOST};
	emit(out, out->low, none);
	for (size_t i = 0; i < n; i++) {
		const fde *f = &list[i];
		if (f->low < end)
			continue; // overlaps: the first has it
		if (f->low > end)
			emit(out, end, none);
		if (ci.at != f->cie)
			read_cie(&ci, f->cie, frame, data);
		state st = ci.initial;
		size_t before = out->count;
		seam_row last = out->last;
		if (!run((cursor){f->instructions, f->end, 0}, &ci, &st, out, f->low, f->high, frame, data)) {
			out->count = before; // not half of it
			out->last = last;
			emit(out, f->low, unknown);
		}
		end = f->high;
	}
	emit(out, end, none);
}

long seam_table(seam_bytes frame, uintptr_t low, uintptr_t high, uintptr_t data, seam_row **rows, size_t *room) {
	*rows = NULL;
	*room = 0;
	if (high <= low || high - low > UINT32_MAX)
		return 0;
	size_t n = functions(frame, low, high, data, NULL);
	if (n == 0)
		return 0;
	size_t list_room = n * sizeof(fde);
	fde *list = seam_pages(list_room);
	if (!list)
		return -1;
	functions(frame, low, high, data, list);
	sort(list, n);
	sink out = {.low = low};
	rows_of(list, n, frame, data, &out);
	*room = out.count * sizeof(seam_row);
	out.rows = *rows = seam_pages(*room);
	if (*rows) {
		out.room = out.count;
		out.count = 0;
		rows_of(list, n, frame, data, &out);
	}
	seam_free_pages(list, list_room);
	return *rows ? (long)out.count : -1;
}
#endif
