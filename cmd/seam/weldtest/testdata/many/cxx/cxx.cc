#include "cxx.h"

#include <numeric>
#include <stdexcept>
#include <vector>

struct vector { std::vector<int> v; };

vector *vector_new(void) { return new vector; }
void vector_push(vector *v, int i) { v->v.push_back(i); }
int vector_sum(const vector *v) { return std::accumulate(v->v.begin(), v->v.end(), 0); }
void vector_delete(vector *v) { delete v; }

int vector_throws(int throws)
{
	try {
		if (throws)
			throw std::runtime_error("thrown and caught");
		return 1;
	} catch (const std::exception &) {
		return 2;
	}
}
