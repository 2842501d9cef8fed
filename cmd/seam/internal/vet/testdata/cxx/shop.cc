#include "shop.h"

#include <functional>
#include <stdexcept>
#include <stdlib.h>
#include <string>
#include <unistd.h>
#include <vector>

extern "C" void seamVetShopRow(int);

namespace {

char *kept;

class Shelf {
public:
	virtual ~Shelf() {}
	explicit Shelf(const char *name) : name(name) {}
	int free(char *other) const { return name == other; } // not that of the C library
	std::string name;
};

std::vector<Shelf> shelves;
std::vector<char *> names;

struct Label {
	char *name;
	int row;
};

std::vector<Label> labels;
std::function<void()> later;

class Owner {
public:
	explicit Owner(char *name) : name(name) {}
	~Owner() { ::free(name); }

private:
	char *name;
};

} // namespace

int shop_length(char *name) { return Shelf(name).free(name) + int(std::string(name).size()); }

void shop_take(char *name) { ::free(name); }

void shop_keep(char *name) { kept = name; }

int shop_find(const char *name, int *at) {
	*at = 0;
	for (auto &s : shelves) {
		if (s.name == name)
			return 1;
		++*at;
	}
	return 0;
}

void shop_wait() {
	for (const auto &s : shelves)
		if (s.name.empty())
			sleep(1);
}

void shop_each(int n) {
	for (int i = 0; i < n; i++)
		seamVetShopRow(i);
}

int shop_safe(char *name) {
	try {
		if (!*name)
			throw std::runtime_error("no name");
		return 0;
	} catch (const std::exception &) {
		seamVetShopRow(0); // behind the loop of the unwinder, and in none
		return 1;
	}
}

// What goes on in an object, or by reference, may be kept or freed.
void shop_list(char *name) { names.push_back(name); }

void shop_label(char *name) { labels.push_back(Label{name, 1}); }

void shop_later(char *name) {
	later = [name] { ::free(name); };
}

void shop_own(char *name) { Owner owner(name); }

int shop_only(char *name) {
	std::string copy(name);
	return int(copy.size());
}
