//go:build payload_cxx

// order.h: the message in C++, and a writer of it for libraries that have none.
#ifndef PAYLOAD_ORDER_H
#define PAYLOAD_ORDER_H

#include <seam/mem.h>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <vector>

// How deep a message may be nested, in parts of it that nobody knows too.
constexpr int deepest = 1000;

// Strings are views of memory that the decoder has.
struct item {
	std::string_view sku;
	int64_t qty = 0;
	double price = 0;
	bool gift = false;
};

struct order {
	int64_t id = 0;
	std::string_view name, note;
	double price = 0;
	bool paid = false;
	int64_t total = 0;
	std::vector<item> items; // its memory is used again

	void reset() {
		id = total = 0;
		name = note = {};
		price = 0;
		paid = false;
		items.clear();
	}

	// answer is the work between decoding and encoding.
	void answer() {
		uint64_t sum = 0; // Go's integers wrap around
		for (const item &i : items)
			sum += static_cast<uint64_t>(i.qty);
		total = static_cast<int64_t>(sum);
	}
};

// most is more than the answer can take, by any writer: an escape has six bytes, a number
// at most 25.
inline size_t most(const order &o) {
	size_t n = 256 + 6 * (o.name.size() + o.note.size());
	for (const item &i : o.items)
		n += 112 + 6 * i.sku.size();
	return n;
}

// A sink is room for an answer. Where there may be too little it is checked, and what
// doesn't fit is counted.
template <bool checked> class sink {
	char *begin_, *at_, *end_;
	size_t over_ = 0;

public:
	explicit sink(const seam_bytes &b)
	    : begin_(reinterpret_cast<char *>(b.data)), at_(begin_), end_(begin_ + b.cap) {}

	void put(char c) {
		if (!checked || at_ != end_)
			*at_++ = c;
		else
			over_++;
	}
	void put(const char *s, size_t n) {
		if (checked) {
			size_t room = static_cast<size_t>(end_ - at_);
			if (n > room) {
				over_ += n - room;
				n = room;
			}
		}
		if (n != 0)
			memcpy(at_, s, n);
		at_ += n;
	}
	void put(std::string_view s) { put(s.data(), s.size()); }

	// done says how it went.
	void done(seam_bytes *b) const {
		size_t n = static_cast<size_t>(at_ - begin_);
		b->len = over_ == 0 ? n : 0;
		b->need = over_ == 0 ? 0 : n + over_;
	}
};

template <bool checked> void write_string(sink<checked> &s, std::string_view text) {
	s.put('"');
	const char *from = text.data(), *end = from + text.size();
	for (const char *p = from; p != end; p++) {
		unsigned char c = static_cast<unsigned char>(*p);
		if (c >= 0x20 && c != '"' && c != '\\')
			continue;
		s.put(from, static_cast<size_t>(p - from));
		from = p + 1;
		char escaped[7];
		switch (c) {
		case '"':
		case '\\':
			escaped[0] = '\\', escaped[1] = static_cast<char>(c);
			s.put(escaped, 2);
			break;
		case '\n':
			s.put("\\n", 2);
			break;
		default:
			std::snprintf(escaped, sizeof escaped, "\\u%04x", c);
			s.put(escaped, 6);
		}
	}
	s.put(from, static_cast<size_t>(end - from));
	s.put('"');
}

template <typename T, bool checked> void write_number(sink<checked> &s, T v) {
	char text[32];
	auto r = std::to_chars(text, text + sizeof text, v);
	s.put(text, static_cast<size_t>(r.ptr - text));
}

template <bool checked> void write_bool(sink<checked> &s, bool v) { s.put(v ? std::string_view("true") : std::string_view("false")); }

template <bool checked> void write_order(sink<checked> &s, const order &o) {
	s.put("{\"id\":");
	write_number(s, o.id);
	s.put(",\"name\":");
	write_string(s, o.name);
	s.put(",\"note\":");
	write_string(s, o.note);
	s.put(",\"price\":");
	write_number(s, o.price);
	s.put(",\"paid\":");
	write_bool(s, o.paid);
	s.put(",\"total\":");
	write_number(s, o.total);
	s.put(",\"items\":[");
	bool first = true;
	for (const item &i : o.items) {
		s.put(first ? std::string_view("{\"sku\":") : std::string_view(",{\"sku\":"));
		first = false;
		write_string(s, i.sku);
		s.put(",\"qty\":");
		write_number(s, i.qty);
		s.put(",\"price\":");
		write_number(s, i.price);
		s.put(",\"gift\":");
		write_bool(s, i.gift);
		s.put('}');
	}
	s.put("]}");
}

#endif
