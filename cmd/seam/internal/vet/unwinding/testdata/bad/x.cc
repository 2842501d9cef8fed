#include <stdexcept>
#include <string>
#include <vector>

static int inner(int i) {
	if (i < 0) throw std::runtime_error("negative");
	return i;
}

extern "C" int lib_at(int i) { std::vector<int> v(4); return v.at(i); }
extern "C" int lib_fail(int i) { if (i < 0) throw i; return i; }
extern "C" int lib_inner(int i) { return inner(i); }
extern "C" int lib_stoi(const char *s) { return std::stoi(s); }
extern "C" int lib_again(int i) { try { return inner(i); } catch (...) { throw; } }
