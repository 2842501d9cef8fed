// Text from signal handlers: no libc that locks or allocates.
#ifndef SEAM_SAY_H
#define SEAM_SAY_H

#include "unwind.h"

// A seam_text grows up to its room, and then is cut off.
typedef struct {
	char *at;
	size_t n, room;
} seam_text;

void seam_put(seam_text *, const char *);
void seam_put_hex(seam_text *, uintptr_t);
void seam_put_number(seam_text *, unsigned long);

// seam_put_place puts the name of the function at pc, how far it is into it, and the file with the address that
// addr2line -e takes.
void seam_put_place(seam_text *, uintptr_t pc);

// seam_put_mapping says what is mapped at an address, as /proc/self/maps has it, or between
// what it lies.
void seam_put_mapping(seam_text *, uintptr_t address);

// seam_put_signals lists what is wrong with the handlers of signals, a line each behind the given
// beginning. It returns how many there are.
int seam_put_signals(seam_text *, const char *begin);

// seam_put_callers lists the files of the loaded objects that import a function, behind the
// given beginning; nothing where there are none. In static programs nobody imports anything.
void seam_put_callers(seam_text *, const char *function, const char *begin);

// seam_is_our_handler says whether a handler is Go's, or one that Seam has put in front of it.
int seam_is_our_handler(uintptr_t handler);

// seam_is_own says, of a handler's second argument, whether the process has sent the signal to
// itself, as by raise.
int seam_is_own(const void *info);

// seam_crash says where a fault in C happened, on standard error. In a handler. It returns whether
// it has: SIGABRT may say something else.
int seam_crash(int sig, const void *info, const void *context);

// seam_crash_handled says behind seam_crash that somebody has handled the fault after all.
void seam_crash_handled(void);

// seam_go_is_program says whether Go is the program, and not a library in one of C.
int seam_go_is_program(void);

// seam_crash_copy has it said in a file, too, which is made then. Returns 0 or an errno.
int seam_crash_copy(const char *path);

// seam_crash_directory has each crash said in a file of its own in a directory, too, which is there
// as a whole or not at all. Returns 0 or an errno.
int seam_crash_directory(const char *path);

// seam_crash_output has it said to a descriptor, too; -1 to none. Returns the one before.
int seam_crash_output(int fd);

// seam_crash_version says with which Go the program was built.
void seam_crash_version(const char *);

#endif
