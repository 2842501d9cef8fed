/* C that asks where its thread's stack is: engines that look at their stack pointer (V8), and
 * collectors that look for pointers on the stack. Such C hears of the stack that it runs on,
 * but what it remembers is wrong for the next call, which has another one. So it is named, and
 * its package's functions are called through cgo from then on. */

static int same_package(const struct park_function *f, const struct park_function *g) {
	const char *dot = strrchr(f->name, '.');
	size_t package = dot ? (size_t)(dot - f->name) + 1 : 0;
	return strncmp(f->name, g->name, package) == 0 && !strchr(g->name + package, '.');
}

/* park_package_asked reports whether a function of f's package has asked. */
int park_package_asked(const struct park_function *f) {
	const struct park_function *g;
	for (g = __atomic_load_n(&park_functions, __ATOMIC_SEQ_CST); g; g = g->next)
		if (__atomic_load_n(&g->asked, __ATOMIC_SEQ_CST) && same_package(f, g))
			return 1;
	return 0;
}

/* A function whose first call is just being prepared is in the list, or looks at asked after us. */
static void demote_package(struct park_function *asks) {
	struct park_function *f;
	if (__atomic_exchange_n(&asks->asked, 1, __ATOMIC_SEQ_CST))
		return;
	for (f = __atomic_load_n(&park_functions, __ATOMIC_SEQ_CST); f; f = f->next)
		if (same_package(asks, f)) {
			__atomic_store_n(&f->usable, PARK_OFF, __ATOMIC_RELAXED);
			__atomic_store_n(&f->on, PARK_OFF, __ATOMIC_RELEASE);
		}
	__atomic_fetch_or(&asks->told, PARK_TOLD, __ATOMIC_RELAXED);
	csys_say("seam: ", asks->name, " asks where its thread's stack is, and parked functions have stacks of their own; the"
		" functions of its package are called through cgo from now on. What C remembers of this stack may be wrong there: mark them cgo or coro in seam.plan\n");
}

void asks_for_stack(seam_coro *co, char **low, char **high) {
	demote_package(co->function);
	*low = co->low;
	*high = co->high;
}
