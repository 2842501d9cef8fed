/* Stacks, and how to switch between them.
 *
 * A stack is one mapping, with a guard of a megabyte below it and its call at the top. Some
 * are kept, last in, first out. */

#include <sys/mman.h>

enum { PARK_KEEP = 64 };

static struct {
	pthread_mutex_t mu;
	seam_coro *list;
	int count;
	seam_coro *all; /* stacks that there are, free or not */
} park_free = {PTHREAD_MUTEX_INITIALIZER, NULL, 0, NULL};

#if defined(__x86_64__)
__asm__(".pushsection .text\n"
	".globl park_switch\n.hidden park_switch\n.type park_switch, @function\n"
	"park_switch:\n"
	"	push %rbp\n	push %rbx\n	push %r12\n	push %r13\n	push %r14\n	push %r15\n"
	"	sub $8, %rsp\n	stmxcsr (%rsp)\n	fnstcw 4(%rsp)\n"
	"	mov %rsp, (%rdi)\n	mov %rsi, %rsp\n"
	"	ldmxcsr (%rsp)\n	fldcw 4(%rsp)\n	add $8, %rsp\n"
	"	pop %r15\n	pop %r14\n	pop %r13\n	pop %r12\n	pop %rbx\n	pop %rbp\n"
	"	ret\n"
	".size park_switch, .-park_switch\n"
	".popsection\n");

/* What it saves: bytes, and which words the frame pointer and the return address are. */
enum { PARK_SAVED = 64, PARK_SAVED_FP = 6, PARK_SAVED_PC = 7 };

/* It begins as if called from address 0, where unwinders end. */
static void park_first(seam_coro *co, void *top, void (*f)(void)) {
	void **sp = (void **)top;
	uint32_t csr;
	uint16_t cw;
	__asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(csr), "=m"(cw));
	*--sp = NULL;
	*--sp = (void *)f;
	int i;
	for (i = 0; i < 6; i++)
		*--sp = NULL;
	*--sp = (void *)((uint64_t)csr | (uint64_t)cw << 32);
	co->sp = sp;
}
#elif defined(__aarch64__)
__asm__(".pushsection .text\n"
	".globl park_switch\n.hidden park_switch\n.type park_switch, %function\n"
	"park_switch:\n"
	"	sub sp, sp, #176\n"
	"	stp x19, x20, [sp]\n	stp x21, x22, [sp, #16]\n	stp x23, x24, [sp, #32]\n"
	"	stp x25, x26, [sp, #48]\n	stp x27, x28, [sp, #64]\n	stp x29, x30, [sp, #80]\n"
	"	stp d8, d9, [sp, #96]\n	stp d10, d11, [sp, #112]\n	stp d12, d13, [sp, #128]\n	stp d14, d15, [sp, #144]\n"
	"	mrs x9, fpcr\n	str x9, [sp, #160]\n"
	"	mov x9, sp\n	str x9, [x0]\n	mov sp, x1\n"
	"	ldr x9, [sp, #160]\n	msr fpcr, x9\n"
	"	ldp x19, x20, [sp]\n	ldp x21, x22, [sp, #16]\n	ldp x23, x24, [sp, #32]\n"
	"	ldp x25, x26, [sp, #48]\n	ldp x27, x28, [sp, #64]\n	ldp x29, x30, [sp, #80]\n"
	"	ldp d8, d9, [sp, #96]\n	ldp d10, d11, [sp, #112]\n	ldp d12, d13, [sp, #128]\n	ldp d14, d15, [sp, #144]\n"
	"	add sp, sp, #176\n"
	"	ret x30\n"
	".size park_switch, .-park_switch\n"
	/* The frame above the first one: address 0, where unwinders end. */
	".type park_begin, %function\n"
	"park_begin:\n	mov x30, xzr\n	br x19\n"
	".size park_begin, .-park_begin\n"
	".popsection\n");
extern void park_begin(void) PARK;

/* What it saves: bytes, and which words the frame pointer and the return address are. */
enum { PARK_SAVED = 176, PARK_SAVED_FP = 10, PARK_SAVED_PC = 11 };

static void park_first(seam_coro *co, void *top, void (*f)(void)) {
	uint64_t *sp = (uint64_t *)(void *)((char *)top - 176), fpcr;
	__asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
	memset(sp, 0, 176);
	sp[0] = (uint64_t)(uintptr_t)f;           /* x19 */
	sp[11] = (uint64_t)(uintptr_t)park_begin; /* x30 */
	sp[20] = fpcr;
	co->sp = sp;
}
#endif

/* What runs on the stack. */
static void park_main(void) {
	seam_coro *co = seam_park_current;
	errno = 0;
	co->result = co->function->body(co->args);
	co->event = PARK_DONE;
	park_suspend(co, PARK_IN_GO, FOREVER);
	abort(); /* nobody goes on with a call that is over */
}

void park_prepare(seam_coro *co, void *top) { park_first(co, top, park_main); }

static size_t park_round(size_t n) {
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	return (n + page - 1) / page * page;
}

/* park_new_stack returns a call on a stack of at least size bytes, or NULL. */
seam_coro *park_new_stack(size_t size) {
	seam_coro *co, **at;
	char *p;
	size = park_round(size);
	park_lock(&park_free.mu);
	for (at = &park_free.list; (co = *at) && (size_t)(co->high - co->low) != size; at = &co->next)
		;
	if (co) {
		*at = co->next;
		park_free.count--;
	}
	park_unlock(&park_free.mu);
	int fresh = !co;
	if (fresh) {
		size_t mapped = size + PARK_GUARD;
		p = mmap(NULL, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (p == MAP_FAILED)
			return NULL;
		if (mprotect(p + PARK_GUARD, size, PROT_READ | PROT_WRITE) != 0) {
			munmap(p, mapped);
			return NULL;
		}
		co = (seam_coro *)(void *)(p + mapped - (sizeof *co + 63) / 64 * 64);
		co->mapped = mapped;
		co->low = p + PARK_GUARD;
		co->high = p + mapped;
	}
	p = co->low;
	size = co->mapped;
	char *high = co->high;
	memset(co, 0, offsetof(seam_coro, g)); /* what is behind is the list's */
	co->low = p;
	co->mapped = size;
	co->high = high;
	co->abi = SEAM_CORO_ABI;
	co->timer = -1;
	if (fresh) {
		park_lock(&park_free.mu);
		co->listed_after = park_free.all;
		if (co->listed_after)
			co->listed_after->listed_before = co;
		park_free.all = co;
		park_unlock(&park_free.mu);
	}
	return co;
}

void park_free_stack(seam_coro *co) {
	park_lock(&park_free.mu);
	int keep = park_free.count < PARK_KEEP;
	__atomic_store_n(&co->g, 0, __ATOMIC_RELAXED);
	if (keep) {
		park_free.count++;
		co->next = park_free.list;
		park_free.list = co;
	} else {
		*(co->listed_before ? &co->listed_before->listed_after : &park_free.all) = co->listed_after;
		if (co->listed_after)
			co->listed_after->listed_before = co->listed_before;
	}
	park_unlock(&park_free.mu);
	if (!keep)
		munmap(co->high - co->mapped, co->mapped);
}
