#include <vector>
#include "all.h"

struct shape {
	virtual int corners() const = 0;
	virtual ~shape() {}
};

extern "C" int cxx_virtual(void *p) { return static_cast<shape *>(p)->corners() + 1; }

extern "C" int cxx_plain(int n) {
	std::vector<int> v;
	for (int i = 0; i < n; i++) v.push_back(i);
	return v.empty() ? 0 : v.back();
}
