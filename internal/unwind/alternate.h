// Alternate stacks for the threads that C makes.
#ifndef SEAM_ALTERNATE_H
#define SEAM_ALTERNATE_H

#include "unwind.h"
#include <features.h>
#include <stdatomic.h>

#ifdef __has_feature
#define SEAM_HAS_FEATURE(f) __has_feature(f)
#else
#define SEAM_HAS_FEATURE(f) 0
#endif
#ifdef __GLIBC__
#define SEAM_LIBC_HAS_THREADS __GLIBC_PREREQ(2, 34)
#else
#define SEAM_LIBC_HAS_THREADS 1
#endif

// In a static program thrd_create is what brings libc's own pthread_create in; before glibc 2.34 it would keep
// programs from systems on which they run without it. Sanitizers have a pthread_create and alternate stacks of
// their own.
#if defined(SEAM_UNWIND) && SEAM_LIBC_HAS_THREADS && !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__) && \
	!SEAM_HAS_FEATURE(thread_sanitizer) && !SEAM_HAS_FEATURE(address_sanitizer) && !SEAM_HAS_FEATURE(memory_sanitizer)
#define SEAM_ALTERNATE 1
#endif

// Set when there is a handler to run on them. Both copies that a program can have, package prof's and
// seam prof's, have this one.
extern _Atomic int seamalternate_on_v1;

#endif
