// The structs and functions of runtime.SetCgoTraceback.
#ifndef SEAM_TRACEBACK_H
#define SEAM_TRACEBACK_H

#include "unwind.h"

typedef struct {
	uintptr_t context;
} seam_context_arg;

typedef struct {
	uintptr_t context, signal;
	uintptr_t *buf;
	uintptr_t max;
} seam_traceback_arg;

typedef struct {
	uintptr_t pc;
	const char *file;
	uintptr_t line;
	const char *function;
	uintptr_t entry, more, data;
} seam_symbol_arg;

void seam_context(seam_context_arg *);
void seam_traceback(seam_traceback_arg *);
void seam_symbolize(seam_symbol_arg *);

// seam_registers are those in a signal handler's third argument.
seam_regs seam_registers(const void *context);

// seam_caller goes from a call, in a frame that is still whole, to its caller's.
int seam_caller(seam_regs *);

#endif
