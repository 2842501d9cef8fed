//go:build payload_cxx && payload_simdjson

// simdjson.cc: simdjson's on-demand parser fills the order. It has no writer: the answer
// is written by hand (order.h).
#include "codec.h"
#include "order.h"

#include <simdjson.h>

namespace {

using namespace simdjson;

// walk reads all of a value that nobody wants: on demand nothing else would find out
// whether it is well-formed.
void walk(ondemand::value v, int depth) {
	if (depth > deepest)
		throw simdjson_error(DEPTH_ERROR);
	switch (ondemand::json_type(v.type())) {
	case ondemand::json_type::array:
		for (auto element : v.get_array())
			walk(element.value(), depth + 1);
		break;
	case ondemand::json_type::object:
		for (auto f : v.get_object()) {
			(void)std::string_view(f.unescaped_key());
			walk(f.value(), depth + 1);
		}
		break;
	case ondemand::json_type::number:
		(void)double(v.get_double());
		break;
	case ondemand::json_type::string:
		(void)std::string_view(v.get_string());
		break;
	case ondemand::json_type::boolean:
		(void)bool(v.get_bool());
		break;
	case ondemand::json_type::null:
		if (!v.is_null())
			throw simdjson_error(N_ATOM_ERROR);
		break;
	}
}

// set reads a value that may be null; then the field stays as it is.
template <typename T> void set(ondemand::value v, T &to) {
	auto error = v.get(to);
	if (error && !bool(v.is_null()))
		throw simdjson_error(error);
}

// name is the key of a field. Where it has no escapes it is the text itself.
std::string_view name(simdjson_result<ondemand::field> &f) {
	const char *from = ondemand::raw_json_string(f.key()).raw();
	for (const char *p = from;; p++) {
		if (*p == '"')
			return {from, static_cast<size_t>(p - from)};
		if (*p == '\\')
			return f.unescaped_key();
	}
}

void read(ondemand::object from, item &i) {
	for (auto f : from) {
		std::string_view key = name(f);
		ondemand::value v = f.value();
		if (key == "sku")
			set(v, i.sku);
		else if (key == "qty")
			set(v, i.qty);
		else if (key == "price")
			set(v, i.price);
		else if (key == "gift")
			set(v, i.gift);
		else
			walk(v, 4);
	}
}

void read(ondemand::object from, order &o) {
	for (auto f : from) {
		std::string_view key = name(f);
		ondemand::value v = f.value();
		if (key == "id")
			set(v, o.id);
		else if (key == "name")
			set(v, o.name);
		else if (key == "note")
			set(v, o.note);
		else if (key == "price")
			set(v, o.price);
		else if (key == "paid")
			set(v, o.paid);
		else if (key == "total")
			set(v, o.total);
		else if (key == "items") {
			if (v.is_null())
				continue;
			o.items.clear(); // of two lists the last counts
			for (auto element : v.get_array()) {
				o.items.emplace_back();
				read(ondemand::object(element.get_object()), o.items.back());
			}
		} else
			walk(v, 2);
	}
}

template <bool checked> void encode(const order &o, seam_bytes *out) {
	sink<checked> to(*out);
	write_order(to, o);
	to.done(out);
}

// What a thread uses again.
struct workspace {
	order o;
	ondemand::parser parser;
	std::vector<char> text; // a message that has no slack behind it
};

} // namespace

extern "C" int codec(const char *in, size_t n, size_t readable, seam_bytes *out) try {
	static thread_local workspace w;
	if (readable - n < SIMDJSON_PADDING) {
		// It reads in blocks, and behind the end: not what isn't the caller's.
		if (w.text.size() < n + SIMDJSON_PADDING)
			w.text.resize(n + SIMDJSON_PADDING);
		memcpy(w.text.data(), in, n);
		in = w.text.data();
		readable = w.text.size();
	}
	w.o.reset();
	ondemand::document doc = w.parser.iterate(in, n, readable);
	read(ondemand::object(doc.get_object()), w.o);
	const char *behind;
	if (doc.current_location().get(behind) != OUT_OF_BOUNDS)
		return CODEC_MALFORMED; // there is more
	w.o.answer();
	if (most(w.o) <= out->cap)
		encode<false>(w.o, out);
	else
		encode<true>(w.o, out);
	return CODEC_OK;
} catch (const simdjson_error &e) {
	return e.error() == MEMALLOC ? CODEC_MEMORY : CODEC_MALFORMED;
} catch (...) {
	return CODEC_MEMORY;
}

extern "C" int codec_padding(void) { return 1; }

extern "C" const char *codec_version(void) {
	// Which of its kernels on-demand code has is settled when it is compiled.
	static const std::string version =
	    get_active_implementation()->supported_by_runtime_system()
	        ? "simdjson " SIMDJSON_STRINGIFY(SIMDJSON_VERSION) " (" + std::string(get_active_implementation()->name()) + ")"
	        : std::string();
	return version.c_str();
}
