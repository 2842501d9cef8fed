#include "truth.h"

#include <cstdlib>
#include <map>
#include <new>

#define SITE __attribute__((noinline, noclone, no_icf))
static void *volatile keep;
struct alignas(64) wide { char c[192]; };

SITE static char *new_site(std::size_t n) { char *p = new char[n]; keep = p; return p; }
SITE static wide *wide_site() { wide *p = new wide; keep = p; return p; }
SITE static int *one_site() { int *p = new int(1); keep = p; return p; }

void cxx(void) {
	for (int i = 0; i < 10; i++)
		new_site(70);
	delete[] new_site(71);
	for (int i = 0; i < 4; i++)
		wide_site();
	delete wide_site();
	one_site();
	delete one_site();
}

SITE static void map_insert_site(std::map<int, int> &m, int i) { m[i] = i; }
void cxx_map(int n) {
	auto *m = new std::map<int, int>;
	for (int i = 0; i < n; i++)
		map_insert_site(*m, i);
}
