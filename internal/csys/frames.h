// Who has called what is at a place of a stack, for who may take neither a lock nor memory: the watch, of threads that
// may have stopped in the middle of anything, and the handler of SIGQUIT. So there are no tables made before, as package
// prof's unwinder has them. A function is looked up where the linker has sorted them, in what is mapped, and goes by the
// same rules (cfi.h, step.h).
//
// All of it is read by the kernel, a stack too: it may go on meanwhile, and a library away. Then a walk leads anywhere,
// but ends. Who looks at what may move looks again afterwards, and says so.
//
// Not all can be known: the kernel says of a thread neither its frame pointer nor its link register, and some code has
// no records. Where a frame pointer is missing, how the function begins tells how large its frame is; that counts if the
// word there is a return address behind a call of this very function. Else the next frame is a guess, and is marked, as
// all behind it: the word there, if it is behind any call, or the next one that is, of this function if possible.
#ifndef SEAM_CSYS_FRAMES_H
#define SEAM_CSYS_FRAMES_H

#include "symbol.h"

#if defined(__linux__) && defined(__LP64__)
#include <sys/uio.h>

// Where a thread is; call is the system call in which it waits, first its first argument. What isn't known of fp is
// CSYS_NO_FP, of lr 0.
typedef struct {
	uint64_t call, first, sp, pc, fp, lr;
} csys_sight;

enum { CSYS_NO_FP = 1 }; // odd, so that nothing is read by it

CSYS int csys_copy(void *to, uintptr_t from, size_t size) {
	struct iovec here = {to, size}, there = {(void *)from, size};
	return (int)process_vm_readv(getpid(), &here, 1, &there, 1, 0);
}

enum { CSYS_RANGES = 256, CSYS_FRAMES = 13, CSYS_ROWS = 64, CSYS_WORDS = 64, CSYS_SCAN = 32 << 10 };

typedef struct {
	uintptr_t pc[CSYS_FRAMES];
	int depth, sure; // frames; those before sure are no guesses
} csys_stack;

#if defined(__x86_64__) || defined(__aarch64__)
#include "cfi.h"

// Code that is mapped.
typedef struct {
	uintptr_t start, end, image; // image is where its file's first bytes are
	uintptr_t header;            // .eh_frame_hdr, or 0
	uintptr_t frame, frame_end;  // .eh_frame, where there is no header
	uint32_t count;              // of functions in the header
	int looked;
} csys_code;

typedef struct {
	uintptr_t pc, low; // low: where the function begins
	seam_row row;
} csys_known;

typedef struct {
	csys_code code[CSYS_RANGES];
	int count;
	uintptr_t image;
	csys_known known[CSYS_ROWS];
	uintptr_t low, high; // the stack
	uint8_t cie[1 << 10], fde[16 << 10];
} csys_room; // of who looks alone

typedef csys_room csys_memory;

CSYS int csys_peek(csys_room *room, unsigned long at, void *to, unsigned long n) {
	(void)room;
	return csys_copy(to, at, n) == (int)n;
}

CSYS csys_code *csys_code_at(csys_room *room, uintptr_t at) {
	int i;
	for (i = 0; i < room->count; i++)
		if (at >= room->code[i].start && at < room->code[i].end)
			return &room->code[i];
	return NULL;
}

CSYS int csys_has_code(csys_room *room, unsigned long at) { return csys_code_at(room, at) != NULL; }

#include "seam_call.h"

typedef csys_room csys_window;

CSYS void csys_move(csys_window *room, uintptr_t sp) { (void)room, (void)sp; }

CSYS int csys_load(csys_window *room, uintptr_t at, uintptr_t *v) {
	return at % 8 == 0 && at >= room->low && at < room->high && csys_peek(room, at, v, sizeof *v);
}

#include "step.h"

CSYS int csys_add_code(void *arg, const csys_mapping *m) {
	csys_room *room = (csys_room *)arg;
	if (m->offset == 0)
		room->image = m->start;
	if (m->code) {
		csys_code c = {m->start, m->end, room->image, 0, 0, 0, 0, 0};
		room->code[room->count++] = c;
	}
	return room->count == CSYS_RANGES;
}

CSYS void csys_frames_begin(csys_room *room) {
	room->count = 0;
	memset(room->known, 0, sizeof room->known);
	csys_each_mapping(csys_add_code, room);
}

// csys_read_code finds where the functions of a file are listed. A static executable has no list, but the section.
CSYS void csys_read_code(csys_room *room, csys_code *c) {
	Elf64_Ehdr h;
	Elf64_Phdr p;
	struct {
		uint8_t version, frame, count, table;
		int32_t at;
		uint32_t functions;
	} header;
	uintptr_t bias = c->image, list = 0, size;
	int i;
	c->looked = 1;
	if (!csys_peek(room, c->image, &h, sizeof h) || memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 || h.e_phentsize != sizeof p)
		return;
	for (i = 0; i < h.e_phnum && csys_peek(room, c->image + h.e_phoff + (unsigned)i * sizeof p, &p, sizeof p); i++)
		if (p.p_type == PT_LOAD && p.p_offset == 0)
			bias = c->image - p.p_vaddr;
		else if (p.p_type == PT_GNU_EH_FRAME)
			list = p.p_vaddr;
	if (!list) {
		list = csys_section_at(c->start, ".eh_frame", &size);
		c->frame = list ? bias + list : 0;
		c->frame_end = list ? bias + list + size : 0;
	} else if (csys_peek(room, bias + list, &header, sizeof header) && header.version == 1 && header.frame == 0x1b &&
	           header.count == 0x03 && header.table == 0x3b) { // what all linkers write: offsets of 4 bytes
		c->header = bias + list;
		c->count = header.functions;
	}
}

// csys_read_record copies one. It returns its size, with the length before it.
CSYS size_t csys_read_record(csys_room *room, uintptr_t at, uint8_t *to, size_t most) {
	uint32_t n;
	return csys_peek(room, at, &n, sizeof n) && n >= 4 && n <= most - 4 && csys_peek(room, at, to, n + 4) ? n + 4 : 0;
}

// csys_row_in looks for pc in the function whose record is at an address.
CSYS int csys_row_in(csys_room *room, uintptr_t at, uintptr_t data, csys_known *k) {
	size_t size = csys_read_record(room, at, room->fde, sizeof room->fde);
	seam_bytes frame = {room->fde, size, at}, first = {room->cie, 0, 0};
	csys_cursor all = {room->fde, room->fde + size, 0}, c;
	csys_cie ci;
	csys_fde f;
	uint64_t back;
	if (!csys_record(&all, &c) || !(back = csys_fixed(&c, 4)))
		return 0;
	first.address = at + 4 - back;
	first.size = csys_read_record(room, first.address, room->cie, sizeof room->cie);
	csys_read_cie(&ci, room->cie, first, data);
	if (!csys_read_fde(&f, c, &ci, frame, data) || k->pc < f.low || k->pc >= f.high)
		return 0;
	csys_sink out = {NULL, 0, 0, f.low, k->pc, {0, SEAM_UNKNOWN, SEAM_LOST, SEAM_LOST}};
	csys_state st = ci.initial;
	csys_cursor code = {f.instructions, f.end, 0};
	if (!csys_run(code, &ci, &st, &out, f.low, f.high, frame, data))
		out.last.cfa = SEAM_UNKNOWN;
	k->low = f.low;
	k->row = out.last;
	return 1;
}

// csys_find_row finds the row for a program counter. Its rule is SEAM_NO_TABLE where no record has it.
CSYS csys_known csys_find_row(csys_room *room, uintptr_t pc) {
	csys_known *k = &room->known[pc * 0x9e3779b97f4a7c15 >> 58];
	csys_code *c = csys_code_at(room, pc);
	uintptr_t at = 0;
	uint32_t low = 0, high, n;
	if (k->pc == pc)
		return *k;
	memset(k, 0, sizeof *k);
	k->pc = pc;
	if (!c)
		return *k;
	if (!c->looked)
		csys_read_code(room, c);
	for (high = c->count; low < high;) {
		uint32_t middle = low + (high - low) / 2;
		int32_t entry[2];
		if (!csys_peek(room, c->header + 12 + (uintptr_t)middle * 8, entry, sizeof entry))
			return *k;
		if (c->header + (uintptr_t)(intptr_t)entry[0] <= pc) {
			low = middle + 1;
			at = c->header + (uintptr_t)(intptr_t)entry[1];
		} else
			high = middle;
	}
	if (at)
		csys_row_in(room, at, c->header, k);
	for (at = c->frame; at < c->frame_end && csys_peek(room, at, &n, sizeof n) && n && !csys_row_in(room, at, 0, k); at += n + 4)
		;
	return *k;
}

// csys_frame_of finds the frame pointer of a function by how it begins: it is pushed and set, other registers are pushed,
// and the stack pointer is moved. Compilers put copies of registers in between. Of one that does more it is wrong.
CSYS uintptr_t csys_frame_of(csys_room *room, uintptr_t low, const seam_regs *r) {
	uintptr_t used = 0;
#ifdef __x86_64__
	uint8_t b[64];
	uint32_t n;
	size_t i;
	if (!csys_peek(room, low, b, sizeof b))
		return CSYS_NO_FP;
	i = memcmp(b, "\xf3\x0f\x1e\xfa", 4) == 0 ? 4 : 0; // endbr64
	if (memcmp(b + i, "\x55\x48\x89\xe5", 4) != 0)
		return CSYS_NO_FP;
	for (i += 4; i < sizeof b - 8;)
		if ((b[i] & 0xf8) == 0x50) { // push
			used += 8;
			i++;
		} else if (b[i] == 0x41 && (b[i + 1] & 0xf8) == 0x50) {
			used += 8;
			i += 2;
		} else if ((b[i] & 0xf8) == 0x48 && (b[i + 1] & 0xfd) == 0x89 && b[i + 2] >= 0xc0) // mov
			i += 3;
		else if ((b[i] & 0xfd) == 0x89 && b[i + 1] >= 0xc0)
			i += 2;
		else if (b[i] == 0x48 && b[i + 1] == 0x83 && b[i + 2] == 0xec) // sub
			return r->sp + used + b[i + 3];
		else if (b[i] == 0x48 && b[i + 1] == 0x81 && b[i + 2] == 0xec) {
			memcpy(&n, b + i + 3, sizeof n);
			return r->sp + used + n;
		} else
			break;
	return r->sp + used;
#else
	(void)room, (void)low, (void)r, (void)used;
	return CSYS_NO_FP;
#endif
}

// csys_guess goes to the next word that looks like a return address: if it can, to one behind a call of the function
// that is known to begin at low.
CSYS int csys_guess(csys_room *room, seam_regs *r, const csys_known *k) {
	uintptr_t words[CSYS_WORDS], from = (r->sp + 7) & ~(uintptr_t)7, at;
	int calls;
	for (calls = k->low != 0; calls >= 0; calls--)
		for (at = from; at < room->high && at - from < CSYS_SCAN; at += sizeof words) {
			size_t size = room->high - at < sizeof words ? room->high - at : sizeof words, i;
			int got = csys_copy(words, at, size);
			for (i = 0; got > 0 && i < (size_t)got / 8; i++) {
				uintptr_t target, ra = at + i * 8, cfa = ra + 8;
				if (!csys_has_code(room, words[i]) || !csys_call_before(room, words[i], &target) || (calls && target != k->low))
					continue;
				if (k->row.ra < 0 && k->row.ra > SEAM_NEVER)
					cfa = ra - (uintptr_t)((intptr_t)k->row.ra * 8);
				r->pc = words[i];
				r->sp = cfa;
				r->lr = 0;
				if (k->row.fp >= 0 || k->row.fp <= SEAM_NEVER || !csys_load(room, cfa + (uintptr_t)((intptr_t)k->row.fp * 8), &r->fp))
					r->fp = CSYS_NO_FP;
				return 1;
			}
		}
	return 0;
}

// csys_is_last reports whether the return address of a frame, where a table knows it, is beyond the stack's end.
CSYS int csys_is_last(csys_room *room, const seam_regs *r, const csys_known *k) {
	uintptr_t from = (k->row.cfa & 7) == SEAM_SP ? r->sp : (k->row.cfa & 7) == SEAM_FP && r->fp != CSYS_NO_FP ? r->fp : 0;
	return k->low && from && k->row.ra < 0 && k->row.ra > SEAM_NEVER && from + (uintptr_t)(intptr_t)(k->row.cfa >> 3) + (uintptr_t)((intptr_t)k->row.ra * 8) >= room->high;
}

// csys_is_return reports whether an address is behind a call, or is where a signal's handler returns to.
CSYS int csys_is_return(csys_room *room, uintptr_t at) {
	unsigned long target;
	return csys_has_code(room, at) && (csys_call_before(room, at, &target) || (csys_find_row(room, at - 1).row.cfa & 7) == SEAM_SIGNAL);
}

// csys_walk stores where s is, and who has called that, up to the stack's end.
CSYS void csys_walk(csys_room *room, const csys_sight *s, uintptr_t high, csys_stack *to) {
	seam_regs r = {s->pc, s->sp, s->fp, s->lr}, next;
	int exact = 1, framed;
	room->low = s->sp;
	room->high = high;
	to->sure = CSYS_FRAMES;
	for (to->depth = 0; to->depth < CSYS_FRAMES;) {
		csys_known k = csys_find_row(room, exact ? r.pc : r.pc - 1);
		enum csys_step step = CSYS_FAILED;
		unsigned long target;
		to->pc[to->depth++] = k.pc;
		next = r;
		framed = k.low && (k.row.cfa & 7) == SEAM_FP && r.fp == CSYS_NO_FP;
		if (framed)
			next.fp = csys_frame_of(room, k.low, &r);
		if (k.low)
			step = csys_step(room, &next, k.row);
		if (step == CSYS_TOP)
			return;
		if (step == CSYS_NEXT && !csys_is_return(room, next.pc))
			step = CSYS_FAILED;
		if (step == CSYS_FAILED) {
			if (csys_is_last(room, &r, &k))
				return;
			next = r;
			if (!csys_guess(room, &next, &k))
				return;
		}
		if ((step == CSYS_FAILED || (framed && !(csys_call_before(room, next.pc, &target) && target == k.low))) && to->sure > to->depth)
			to->sure = to->depth;
		r = next;
		exact = step == CSYS_INTERRUPTED;
	}
}
#else // nothing of Seam's runs on stacks of its own there
typedef int csys_room;
CSYS void csys_frames_begin(csys_room *room) { (void)room; }
CSYS void csys_walk(csys_room *room, const csys_sight *s, uintptr_t high, csys_stack *to) {
	(void)room, (void)high;
	to->pc[0] = s->pc;
	to->depth = to->sure = 1;
}
#endif

// csys_say_place says on a line of its own in which function an address is.
CSYS void csys_say_place(uintptr_t at, int sure) {
	char name[128], file[64];
	uintptr_t into;
	size_t n = csys_symbol(at, name, sizeof name, &into, file, sizeof file);
	if (!file[0])
		return;
	csys_say(sure ? "seam:     " : "seam:   ? ", n ? name : file, "+0x", csys_hexadecimal(into), n ? " (" : "", n ? file : "", n ? ")\n" : "\n");
}

CSYS void csys_say_frames(const csys_stack *s) {
	int i;
	for (i = 0; i < s->depth; i++)
		csys_say_place(s->pc[i], i < s->sure);
	if (s->depth == CSYS_FRAMES)
		csys_say("seam:     (no more than ", csys_decimal(CSYS_FRAMES), " are looked for)\n");
}

#endif
#endif
