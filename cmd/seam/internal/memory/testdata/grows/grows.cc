#include "grows.h"

#include <deque>
#include <map>
#include <string>
#include <unordered_map>

void insert(long want) {
	static std::map<long, std::string> sessions;
	while (long(sessions.size()) * 200 < want)
		sessions[sessions.size()] = std::string(100, 'x');
}

// A cache throws out the oldest when it is full.
void look_up(long done, long room) {
	static std::unordered_map<long, std::string> cache;
	static std::deque<long> order;
	for (static long n; n * 1000 < done; n++) {
		cache[n] = std::string(900, 'y');
		order.push_back(n);
		if (long(order.size()) * 1000 > room) {
			cache.erase(order.front());
			order.pop_front();
		}
	}
}
