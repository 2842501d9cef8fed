#include <mutex>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

static int inner(int i) {
	if (i < 0) throw std::runtime_error("negative");
	return i;
}

extern "C" int lib_at(int i) { try { std::vector<int> v(4); return v.at(i); } catch (...) { return -1; } }
extern "C" int lib_both(int i) { try { return inner(i); } catch (const std::runtime_error &e) { return -1; } catch (...) { return -2; } }
extern "C" int lib_stops(int i) noexcept { return inner(i); }
extern "C" int lib_vector(int i) { std::vector<int> v; v.push_back(i); return v[0]; }
extern "C" int lib_typed(int i) { try { return inner(i); } catch (const std::exception &e) { return -1; } }

static std::unordered_map<std::string, std::string> options;
extern "C" int lib_option(const char *key, const char *value) { options[key] = value; return 0; } // rehashing catches, and throws again

static std::mutex &guard() { static std::mutex m; return m; }
extern "C" int lib_count(void) { static int n; std::lock_guard<std::mutex> lock(guard()); return ++n; } // a lock that can't be had is no news
