/*
 * The run-time of a program that is searched for leaks: free and realloc of the
 * whole program.
 *
 * They may be called before any constructor has run, by the dynamic linker, and
 * in a child that C code has forked; then they only hand on.
 *
 * A small block that is freed is kept back until SEAM_KEPT more of them or
 * SEAM_KEPT_BYTES have come after it. Until then malloc can't give its address
 * to somebody else, so another free of it is wrong for certain. Large ones and
 * what realloc moves go back at once.
 */
#pragma GCC system_header

enum { SEAM_KEPT_BYTES = 1 << 20, SEAM_KEPT_LARGEST = 1 << 16 };

extern void *seam_c_dlsym(void *, const char *) __asm__("dlsym") __attribute__((__weak__));
extern void seam_c_libc_free(void *) __asm__("__libc_free") __attribute__((__weak__));
extern void *seam_c_libc_realloc(void *, unsigned long) __asm__("__libc_realloc") __attribute__((__weak__));

/* Finds who frees in earnest: the next library that has the function, which is
   libc or another allocator that was linked or preloaded. */
SEAM_WEAK void seam_leaks_resolve(void)
{
	struct seam_leaks *l = &seam_leaks;
	void *f = 0, *r = 0;
	if (__atomic_exchange_n(&l->resolving, 1, __ATOMIC_ACQ_REL))
		return; /* dlsym itself frees; libc will do */
	if (seam_c_dlsym) {
		f = seam_c_dlsym((void *)-1l, "free");
		r = seam_c_dlsym((void *)-1l, "realloc");
	}
	__builtin_memcpy(&l->realloc, &r, sizeof r);
	if (!l->realloc)
		l->realloc = seam_c_libc_realloc;
	if (f) {
		void (*found)(void *);
		__builtin_memcpy(&found, &f, sizeof f);
		__atomic_store_n(&l->free, found, __ATOMIC_RELEASE);
	} else
		__atomic_store_n(&l->free, seam_c_libc_free, __ATOMIC_RELEASE);
}

static __inline__ void seam_leaks_real_free(void *p)
{
	void (*f)(void *) = __atomic_load_n(&seam_leaks.free, __ATOMIC_ACQUIRE);
	if (__builtin_expect(!f, 0)) {
		seam_leaks_resolve();
		f = __atomic_load_n(&seam_leaks.free, __ATOMIC_ACQUIRE);
		if (!f)
			f = seam_c_libc_free;
		if (!f)
			return; /* it stays: no other library has been found yet */
	}
	f(p);
}

static __inline__ void *seam_leaks_real_realloc(void *p, unsigned long size)
{
	if (__builtin_expect(!__atomic_load_n(&seam_leaks.free, __ATOMIC_ACQUIRE), 0))
		seam_leaks_resolve();
	if (seam_leaks.realloc)
		return seam_leaks.realloc(p, size);
	return seam_c_libc_realloc ? seam_c_libc_realloc(p, size) : 0;
}

/* Keeps a freed block back, and lets go of the oldest where it takes that. */
SEAM_WEAK void seam_leaks_keep(void *p, seam_u64 size)
{
	struct seam_leaks *l = &seam_leaks;
	struct seam_block was;
	seam_u32 at;
	seam_lock(&l->kept_lock);
	while (l->kept_next != l->kept_first &&
		(l->kept_next - l->kept_first == SEAM_KEPT || l->kept_bytes + size > SEAM_KEPT_BYTES)) {
		at = l->kept_first++ % SEAM_KEPT;
		l->kept_bytes -= l->tables->kept[at].size;
		if (seam_leaks_remove((seam_u64)l->tables->kept[at].p, SEAM_FREED, &was))
			seam_leaks_real_free(l->tables->kept[at].p);
	}
	at = l->kept_next++ % SEAM_KEPT;
	l->tables->kept[at].p = p;
	l->tables->kept[at].size = size;
	l->kept_bytes += size;
	seam_unlock(&l->kept_lock);
}

enum { SEAM_NOT_OURS, SEAM_DONE, SEAM_REALLY };

/* A free of a pointer that may be ours. NOT_OURS and REALLY: it is still to be
   freed. */
SEAM_WEAK int seam_leaks_freed(void *p, void *site)
{
	struct seam_block *b, was;
	int *lock;
	seam_u32 kind;
	if (!seam_record_mine(&seam_leaks.record))
		return SEAM_NOT_OURS;
	b = seam_leaks_find((seam_u64)p, &lock);
	if (!b)
		return SEAM_NOT_OURS;
	if (b->address == (seam_u64)p && b->state == SEAM_LIVE) {
		was = *b;
		if (was.size > SEAM_KEPT_LARGEST) {
			seam_unlock(lock);
			if (!seam_leaks_remove((seam_u64)p, SEAM_LIVE, &was))
				return SEAM_REALLY;
			seam_leaks_count(was.stack, 0, 0, 1, was.size);
			return SEAM_REALLY;
		}
		b->freed_at = (seam_u64)site;
		__atomic_store_n(&b->state, SEAM_FREED, __ATOMIC_RELEASE);
		seam_unlock(lock);
		seam_leaks_count(was.stack, 0, 0, 1, was.size);
		seam_leaks_keep(p, was.size);
		return SEAM_DONE;
	}
	kind = b->address == (seam_u64)p ? SEAM_TWICE : SEAM_MIDDLE;
	was = *b;
	b->again = 0;
	seam_unlock(lock);
	seam_leaks_wrong(kind, &was, (seam_u64)p, (seam_u64)site);
	return SEAM_DONE;
}

/* A realloc of a pointer that may be ours. 1: it is done. */
SEAM_WEAK int seam_leaks_moved(void *p, unsigned long size, void *site, void **result)
{
	struct seam_block *b, was;
	int *lock, error;
	seam_u64 left;
	if (!seam_record_mine(&seam_leaks.record))
		return 0;
	if (seam_leaks_remove((seam_u64)p, SEAM_LIVE, &was)) {
		*result = seam_leaks_real_realloc(p, size);
		error = *seam_c_errno();
		if (*result || !size)
			seam_leaks_count(was.stack, 0, *result ? size : 0, !*result, was.size);
		if (*result ? !seam_leaks_insert((seam_u64)*result, size, was.stack, 1) : size && !seam_leaks_insert((seam_u64)p, was.size, was.stack, was.moved))
			seam_leaks_count(was.stack, 0, 0, 1, *result ? size : was.size);
		*seam_c_errno() = error;
		return 1;
	}
	b = seam_leaks_find((seam_u64)p, &lock);
	if (!b)
		return 0;
	was = *b;
	b->again = 0;
	seam_unlock(lock);
	seam_leaks_wrong(was.address == (seam_u64)p ? SEAM_TWICE : SEAM_MIDDLE, &was, (seam_u64)p, (seam_u64)site);
	/* What is there can still be read. */
	*result = seam_leaks_real_realloc(0, size);
	left = was.size - ((seam_u64)p - was.address);
	if (*result && left)
		__builtin_memcpy(*result, p, left < size ? left : size);
	return 1;
}

/*
 * The functions themselves: ld exports them from an executable, since libc has
 * them too, and so shared libraries and libc call them as well. They are known
 * in C by other names, because the user's text may declare free in ways of its
 * own.
 */
#define SEAM_LEAKS_SHOWN __attribute__((__weak__, __visibility__("default"), __used__, __noinline__))

SEAM_LEAKS_SHOWN void seam_leaks_free(void *p) __asm__("free");
SEAM_LEAKS_SHOWN void *seam_leaks_realloc(void *p, unsigned long size) __asm__("realloc");

void seam_leaks_free(void *p)
{
	if (p && __builtin_expect(seam_leaks_maybe(p), 0) && seam_leaks_freed(p, __builtin_return_address(0)) == SEAM_DONE)
		return;
	seam_leaks_real_free(p);
}

void *seam_leaks_realloc(void *p, unsigned long size)
{
	void *result;
	if (p && __builtin_expect(seam_leaks_maybe(p), 0) && seam_leaks_moved(p, size, __builtin_return_address(0), &result))
		return result;
	return seam_leaks_real_realloc(p, size);
}
