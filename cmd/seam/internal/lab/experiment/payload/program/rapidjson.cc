//go:build payload_cxx && payload_rapidjson

// rapidjson.cc: RapidJSON's SAX reader fills the order, its writer writes the answer.
// Reader, writer and scratch memory are a thread's and used again: after the first calls
// nothing is allocated. Without RAPIDJSON_SSE2: that is for long strings, and with messages
// of 128 bytes takes a third more time.
#include "codec.h"
#include "order.h"

#include <rapidjson/reader.h>
#include <rapidjson/writer.h>

namespace {

// An output is a sink as RapidJSON wants one.
template <bool checked> struct output {
	using Ch = char;
	sink<checked> to;
	explicit output(const seam_bytes &b) : to(b) {}
	void Put(char c) { to.put(c); }
	void Flush() {}
};

enum class field { none, id, name, note, price, paid, total, items, sku, qty, item_price, gift };

template <size_t n> bool is(std::string_view key, const char (&name)[n]) {
	return key.size() == n - 1 && memcmp(key.data(), name, n - 1) == 0;
}

field order_field(std::string_view key) {
	switch (key.size()) {
	case 2:
		return is(key, "id") ? field::id : field::none;
	case 4:
		return is(key, "name") ? field::name : is(key, "note") ? field::note : is(key, "paid") ? field::paid : field::none;
	case 5:
		return is(key, "price") ? field::price : is(key, "total") ? field::total : is(key, "items") ? field::items : field::none;
	}
	return field::none;
}

field item_field(std::string_view key) {
	switch (key.size()) {
	case 3:
		return is(key, "sku") ? field::sku : is(key, "qty") ? field::qty : field::none;
	case 4:
		return is(key, "gift") ? field::gift : field::none;
	case 5:
		return is(key, "price") ? field::item_price : field::none;
	}
	return field::none;
}

// A filler is told of the parts of a message. It refuses what is of another type.
struct filler {
	order *o;
	int depth = 0;   // of all that is open
	int unknown = 0; // of what is open below a field that is not the order's
	field at = field::none;

	bool known() const { return unknown == 0 && at != field::none; }
	bool Null() { // leaves the field as it is, as in Go
		if (known() && at == field::items && depth == 2)
			o->items.emplace_back();
		return depth > 0;
	}
	bool Bool(bool v) {
		if (!known())
			return depth > 0;
		if (at == field::paid)
			o->paid = v;
		else if (at == field::gift)
			o->items.back().gift = v;
		else
			return false;
		return true;
	}
	bool Int(int v) { return Int64(v); }
	bool Uint(unsigned v) { return Int64(v); }
	bool Uint64(uint64_t v) {
		if (v <= INT64_MAX)
			return Int64(static_cast<int64_t>(v));
		return !known() ? depth > 0 : Double(static_cast<double>(v));
	}
	bool Int64(int64_t v) {
		if (!known())
			return depth > 0;
		switch (at) {
		case field::id:
			o->id = v;
			return true;
		case field::total:
			o->total = v;
			return true;
		case field::qty:
			o->items.back().qty = v;
			return true;
		default:
			return Double(static_cast<double>(v));
		}
	}
	bool Double(double v) {
		if (!known())
			return depth > 0;
		if (at == field::price)
			o->price = v;
		else if (at == field::item_price)
			o->items.back().price = v;
		else
			return false;
		return true;
	}
	bool RawNumber(const char *, rapidjson::SizeType, bool) { return false; }
	bool String(const char *s, rapidjson::SizeType n, bool) {
		if (!known())
			return depth > 0;
		if (at == field::name)
			o->name = {s, n};
		else if (at == field::note)
			o->note = {s, n};
		else if (at == field::sku)
			o->items.back().sku = {s, n};
		else
			return false;
		return true;
	}
	bool Key(const char *s, rapidjson::SizeType n, bool) {
		if (unknown == 0)
			at = depth == 1 ? order_field({s, n}) : item_field({s, n});
		return true;
	}
	bool StartObject() {
		if (++depth > deepest)
			return false;
		if (depth == 1)
			return true;
		if (unknown > 0 || (depth == 2 && at == field::none) || (depth == 4 && at == field::none)) {
			unknown++;
			return true;
		}
		if (depth != 3 || at != field::items)
			return false; // an object where there is something else
		o->items.emplace_back();
		return true;
	}
	bool EndObject(rapidjson::SizeType) {
		depth--;
		if (unknown > 0)
			unknown--;
		else if (depth == 2)
			at = field::items; // the list goes on
		return true;
	}
	bool StartArray() {
		if (++depth > deepest || depth == 1)
			return false;
		if (unknown > 0 || at == field::none) {
			unknown++;
			return true;
		}
		if (depth != 2 || at != field::items)
			return false;
		o->items.clear(); // of two lists the last counts
		return true;
	}
	bool EndArray(rapidjson::SizeType) {
		depth--;
		if (unknown > 0)
			unknown--;
		else
			at = field::none;
		return true;
	}
};

// What a thread uses again.
struct workspace {
	order o;
	std::vector<char> text; // the message, which is decoded in place
	rapidjson::Reader reader;
	rapidjson::Writer<output<false>> writer;
	rapidjson::Writer<output<true>> checked;
};

template <bool checked> void write(rapidjson::Writer<output<checked>> &w, const order &o, seam_bytes *out) {
	auto string = [&w](std::string_view s) {
		w.String(s.data() != nullptr ? s.data() : "", static_cast<rapidjson::SizeType>(s.size()));
	};
	output<checked> to(*out);
	w.Reset(to);
	w.StartObject();
	w.Key("id", 2);
	w.Int64(o.id);
	w.Key("name", 4);
	string(o.name);
	w.Key("note", 4);
	string(o.note);
	w.Key("price", 5);
	w.Double(o.price);
	w.Key("paid", 4);
	w.Bool(o.paid);
	w.Key("total", 5);
	w.Int64(o.total);
	w.Key("items", 5);
	w.StartArray();
	for (const item &i : o.items) {
		w.StartObject();
		w.Key("sku", 3);
		string(i.sku);
		w.Key("qty", 3);
		w.Int64(i.qty);
		w.Key("price", 5);
		w.Double(i.price);
		w.Key("gift", 4);
		w.Bool(i.gift);
		w.EndObject();
	}
	w.EndArray();
	w.EndObject();
	to.to.done(out);
}

} // namespace

extern "C" int codec(const char *in, size_t n, size_t, seam_bytes *out) try {
	static thread_local workspace w;
	// Decoded in place means that strings are unescaped where they stand: not in Go's
	// memory, which is only there to be read, but in a copy. It is the only one of them.
	if (w.text.size() < n + 1)
		w.text.resize(n + 1);
	memcpy(w.text.data(), in, n);
	w.text[n] = 0;
	w.o.reset();
	filler f{&w.o};
	rapidjson::InsituStringStream text(w.text.data());
	if (!w.reader.Parse<rapidjson::kParseInsituFlag | rapidjson::kParseFullPrecisionFlag>(text, f))
		return CODEC_MALFORMED;
	if (text.Tell() != n)
		return CODEC_MALFORMED; // a NUL in it
	w.o.answer();
	if (most(w.o) <= out->cap)
		write(w.writer, w.o, out);
	else
		write(w.checked, w.o, out);
	return CODEC_OK;
} catch (...) {
	return CODEC_MEMORY;
}

extern "C" int codec_padding(void) { return 0; }

extern "C" const char *codec_version(void) { return "RapidJSON " RAPIDJSON_VERSION_STRING; }
