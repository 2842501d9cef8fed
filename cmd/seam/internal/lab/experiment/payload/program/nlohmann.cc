//go:build payload_cxx && payload_nlohmann

// nlohmann.cc: nlohmann's json as its manual has it used: a tree is parsed, read, built
// and dumped.
#include "codec.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace {

using nlohmann::json;

// The message of order.h, but with strings of its own, as the manual has them.
struct item {
	std::string sku;
	int64_t qty = 0;
	double price = 0;
	bool gift = false;
};

struct order {
	int64_t id = 0;
	std::string name, note;
	double price = 0;
	bool paid = false;
	int64_t total = 0;
	std::vector<item> items;
};

// get reads a field that may be missing or null.
template <typename T> void get(const json &j, const char *key, T &to) {
	auto at = j.find(key);
	if (at == j.end() || at->is_null())
		return;
	if constexpr (std::is_same_v<T, int64_t>) {
		if (!at->is_number_integer() || (at->is_number_unsigned() && at->template get<uint64_t>() > INT64_MAX))
			throw std::invalid_argument(key); // get would round
	} else if constexpr (std::is_same_v<T, double>) {
		if (!at->is_number())
			throw std::invalid_argument(key); // get takes bools for numbers
	}
	at->get_to(to);
}

void from_json(const json &j, item &i) {
	if (j.is_null())
		return;
	if (!j.is_object())
		throw std::invalid_argument("no object");
	get(j, "sku", i.sku);
	get(j, "qty", i.qty);
	get(j, "price", i.price);
	get(j, "gift", i.gift);
}

void from_json(const json &j, order &o) {
	if (!j.is_object())
		throw std::invalid_argument("no object");
	get(j, "id", o.id);
	get(j, "name", o.name);
	get(j, "note", o.note);
	get(j, "price", o.price);
	get(j, "paid", o.paid);
	get(j, "total", o.total);
	get(j, "items", o.items);
}

void to_json(json &j, const item &i) { j = {{"sku", i.sku}, {"qty", i.qty}, {"price", i.price}, {"gift", i.gift}}; }

void to_json(json &j, const order &o) {
	j = {{"id", o.id},     {"name", o.name},   {"note", o.note},  {"price", o.price},
	     {"paid", o.paid}, {"total", o.total}, {"items", o.items}};
}

} // namespace

extern "C" int codec(const char *in, size_t n, size_t, seam_bytes *out) try {
	if (memchr(in, 0, n) != nullptr)
		return CODEC_MALFORMED; // which it takes for the end
	json j = json::parse(in, in + n, nullptr, false);
	if (j.is_discarded())
		return CODEC_MALFORMED;
	order o = j.get<order>();
	uint64_t sum = 0;
	for (const item &i : o.items)
		sum += static_cast<uint64_t>(i.qty);
	o.total = static_cast<int64_t>(sum);
	std::string text = json(o).dump();
	seam::write(*out, text);
	return CODEC_OK;
} catch (const std::bad_alloc &) {
	return CODEC_MEMORY;
} catch (...) {
	return CODEC_MALFORMED;
}

extern "C" int codec_padding(void) { return 0; }

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
extern "C" const char *codec_version(void) {
	return "nlohmann/json " TEXT(NLOHMANN_JSON_VERSION_MAJOR) "." TEXT(NLOHMANN_JSON_VERSION_MINOR) "." TEXT(NLOHMANN_JSON_VERSION_PATCH);
}
