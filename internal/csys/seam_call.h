/*
 * Calls in machine code. Who includes this says before how code is read: a csys_memory with csys_peek, which returns 0
 * where there is nothing, and csys_has_code. It needs no header, and has no comment of C99's: it is compiled into the
 * packages of traced programs, too.
 */
#ifndef SEAM_CSYS_CALL_H
#define SEAM_CSYS_CALL_H

enum { CSYS_NO_CALL, CSYS_CALL, CSYS_CALL_SOMEWHERE };

/* csys_call_before reports whether there is a call before pc, and what it calls, through the table by which shared
   libraries are called. */
__attribute__((unused)) static int csys_call_before(csys_memory *m, unsigned long pc, unsigned long *target)
{
#if defined(__x86_64__)
	unsigned char bytes[6], to[11];
	const unsigned char *code = bytes + 6, *jump = to;
	int distance;
	*target = 0;
	if (!csys_peek(m, pc - 6, bytes, sizeof bytes))
		return CSYS_NO_CALL;
	if (code[-6] == 0xff && code[-5] == 0x15) { /* call *slot(%rip) */
		__builtin_memcpy(&distance, code - 4, 4);
		csys_peek(m, pc + (unsigned long)(long)distance, target, sizeof *target);
		return CSYS_CALL;
	}
	if (code[-5] == 0xe8) {
		__builtin_memcpy(&distance, code - 4, 4);
		*target = pc + (unsigned long)(long)distance;
		if (!csys_has_code(m, *target) || !csys_peek(m, *target, to, sizeof to))
			return CSYS_NO_CALL;
		if (to[0] == 0xf3 && to[1] == 0x0f && to[2] == 0x1e && to[3] == 0xfa) /* endbr64 */
			jump += 4;
		if (jump[0] == 0xf2) /* bnd */
			jump++;
		if (jump[0] == 0xff && jump[1] == 0x25) { /* jmp *slot(%rip) */
			__builtin_memcpy(&distance, jump + 2, 4);
			csys_peek(m, *target + (unsigned long)(jump - to) + 6 + (unsigned long)(long)distance, target, sizeof *target);
		}
		return CSYS_CALL;
	}
	return (code[-2] == 0xff && (code[-1] & 0x38) == 0x10) || (code[-3] == 0xff && (code[-2] & 0x38) == 0x10) ||
		(code[-3] == 0x41 && code[-2] == 0xff && (code[-1] & 0x38) == 0x10) ||
		(code[-6] == 0xff && (code[-5] & 0x38) == 0x10) ? CSYS_CALL_SOMEWHERE : CSYS_NO_CALL;
#elif defined(__aarch64__)
	unsigned before, to[3];
	*target = 0;
	if (pc & 3 || !csys_peek(m, pc - 4, &before, sizeof before))
		return CSYS_NO_CALL;
	if ((before & 0xfffffc1f) == 0xd63f0000) /* blr */
		return CSYS_CALL_SOMEWHERE;
	if (before >> 26 != 0x25) /* bl */
		return CSYS_NO_CALL;
	*target = pc - 4 + ((unsigned long)(long)((int)(before << 6) >> 6) << 2);
	if (!csys_has_code(m, *target) || !csys_peek(m, *target, to, sizeof to))
		return CSYS_NO_CALL;
	if (to[0] == 0xd503245f) { /* bti c */
		*target += 4;
		if (!csys_peek(m, *target, to, sizeof to))
			return CSYS_CALL;
	}
	if ((to[0] & 0x9f00001f) == 0x90000010 && (to[1] & 0xffc003ff) == 0xf9400211) { /* adrp x16; ldr x17, [x16, …] */
		long page = ((long)((unsigned long)((to[0] >> 5 & 0x7ffff) << 2 | (to[0] >> 29 & 3)) << 43) >> 43) << 12;
		unsigned long slot = (*target & ~4095ul) + (unsigned long)page + ((to[1] >> 10 & 0xfff) << 3);
		csys_peek(m, slot, target, sizeof *target);
	}
	return CSYS_CALL;
#else
	(void)m, (void)pc;
	*target = 0;
	return CSYS_NO_CALL;
#endif
}

#endif
