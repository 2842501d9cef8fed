//go:build cgo && seam_libs

// This file is compiled without exceptions: simdjson gives its errors as values, and its
// memory it takes by new (std::nothrow). So there is none that could leave C++.

#include <simdjson.h>

#include "events.h"

using namespace simdjson;

static_assert(SIMDJSON_EXCEPTIONS == 0, "exceptions are off");
constexpr bool is(int ours, error_code theirs) { return ours == int(theirs); }
static_assert(is(EVENTS_STRING, STRING_ERROR) && is(EVENTS_NUMBER, NUMBER_ERROR) && is(EVENTS_UTF8, UTF8_ERROR) &&
		      is(EVENTS_UNESCAPED, UNESCAPED_CHARS) && is(EVENTS_UNCLOSED, UNCLOSED_STRING) &&
		      is(EVENTS_INCOMPLETE, INCOMPLETE_ARRAY_OR_OBJECT),
	      "simdjson's codes");
static_assert(SIMDJSON_PADDING <= EVENTS_PADDING, "room behind a document");

namespace {

// ondemand reads the document once, value by value, as it is asked to. What nobody asks
// for it does not look at closely, so check does: a document is right as a whole or wrong.
class builder {
	ondemand::parser &parser_;
	ondemand::document &doc_;
	seam::arena arena_;
	uint8_t *text_ = nullptr; // where the next string goes, in the arena
	uint8_t *text_begin_ = nullptr;
	seam_part text_part_ = {};

public:
	const char *at = nullptr; // of an error that doc_ does not know the place of

	builder(ondemand::parser &p, ondemand::document &d, seam_arena *a)
	    : parser_(p), doc_(d), arena_(a) {}

	// A document's strings take no more room than the document does; simdjson writes
	// some bytes more than it has.
	bool reserve(size_t size) {
		auto room = arena_.array<uint8_t>(size + SIMDJSON_PADDING, &text_part_);
		text_ = text_begin_ = room.data();
		return text_ != nullptr;
	}

	int run(seam_part *events) {
		ondemand::json_type type;
		if (auto err = doc_.type().get(type))
			return err;
		if (type == ondemand::json_type::array) {
			ondemand::array list;
			if (auto err = doc_.get_array().get(list))
				return err;
			if (int err = table<events_event>(list, events))
				return err;
		} else {
			ondemand::object object;
			if (auto err = doc_.get_object().get(object))
				return err;
			auto one = arena_.array<events_event>(1, events);
			if (one.empty())
				return EVENTS_ROOM;
			if (int err = fill(object, one[0]))
				return err;
		}
		const char *rest;
		return doc_.current_location().get(rest) == OUT_OF_BOUNDS ? 0 : TRAILING_CONTENT;
	}

private:
	// table makes an array of objects an array of T.
	template <typename T> int table(ondemand::array list, seam_part *part) {
		*part = {};
		size_t n;
		if (auto err = list.count_elements().get(n))
			return err;
		seam::span<T> rows;
		if (n != 0) { // nothing has no part
			rows = arena_.array<T>(n, part);
			if (rows.empty())
				return EVENTS_ROOM;
		}
		size_t i = 0;
		for (auto element : list) {
			ondemand::value value;
			if (auto err = element.get(value))
				return err;
			if (i == n)
				return TAPE_ERROR; // counted otherwise than read
			ondemand::object object;
			if (auto err = value.get_object().get(object))
				return err;
			if (int err = fill(object, rows[i++]))
				return err;
		}
		return i == n ? 0 : TAPE_ERROR;
	}

	int fill(ondemand::object object, events_event &e) {
		e = {};
		return fields(object, [&](std::string_view key, ondemand::value v, unsigned &bit) {
			if (key == "id")
				return bit = 1, integer(v, e.id);
			if (key == "type")
				return bit = 2, string(v, e.type);
			if (key == "user")
				return bit = 4, user(v, e);
			if (key == "items")
				return bit = 8, items(v, e);
			return check(v, 2);
		});
	}

	int fill(ondemand::object object, events_item &item) {
		item = {};
		return fields(object, [&](std::string_view key, ondemand::value v, unsigned &bit) {
			if (key == "sku")
				return bit = 1, string(v, item.sku);
			if (key == "price")
				return bit = 2, real(v, item.price);
			if (key == "quantity")
				return bit = 4, integer(v, item.quantity);
			return check(v, 4);
		});
	}

	int user(ondemand::value v, events_event &e) {
		bool null;
		if (auto err = v.is_null().get(null); err || null)
			return err;
		ondemand::object object;
		if (auto err = v.get_object().get(object))
			return err;
		return fields(object, [&](std::string_view key, ondemand::value f, unsigned &bit) {
			if (key == "name")
				return bit = 1, string(f, e.name);
			if (key == "country")
				return bit = 2, string(f, e.country);
			return check(f, 3);
		});
	}

	int items(ondemand::value v, events_event &e) {
		bool null;
		if (auto err = v.is_null().get(null); err || null)
			return err;
		ondemand::array list;
		if (auto err = v.get_array().get(list))
			return err;
		return table<events_item>(list, &e.items);
	}

	// fields hands each field to f, which sets a bit for one that may be there once.
	template <typename F> int fields(ondemand::object object, F f) {
		unsigned seen = 0;
		for (auto member : object) {
			ondemand::field field;
			if (auto err = std::move(member).get(field))
				return err;
			const char *key_at = field.key().raw() - 1;
			std::string_view key;
			if (auto err = field.unescaped_key().get(key))
				return at = key_at, err;
			unsigned bit = 0;
			if (int err = f(key, field.value(), bit))
				return err;
			if (seen & bit)
				return at = key_at, EVENTS_DUPLICATE;
			seen |= bit;
		}
		return 0;
	}

	// null leaves a field as it is, as Go's encoding/json has it.
	int integer(ondemand::value v, int64_t &to) {
		bool null;
		if (auto err = v.is_null().get(null); err || null)
			return err;
		auto err = v.get_int64().get(to);
		ondemand::json_type type;
		if (err == INCORRECT_TYPE && !v.type().get(type) && type == ondemand::json_type::number)
			return EVENTS_INTEGER;
		return err;
	}

	int real(ondemand::value v, double &to) {
		bool null;
		if (auto err = v.is_null().get(null); err || null)
			return err;
		return v.get_double().get(to);
	}

	// string unescapes a string into the arena: the only time that it is written.
	int string(ondemand::value v, seam_part &to) {
		bool null;
		if (auto err = v.is_null().get(null); err || null)
			return err;
		uint8_t *end = text_;
		if (int err = unescape(v, end))
			return err;
		if (end != text_)
			to = {text_part_.at + uint64_t(text_ - text_begin_), uint64_t(end - text_)};
		text_ = end;
		return 0;
	}

	int unescape(ondemand::value v, uint8_t *&end) {
		ondemand::raw_json_string raw;
		if (auto err = v.get_raw_json_string().get(raw))
			return err;
		std::string_view s;
		if (auto err = parser_.unescape(raw, end).get(s))
			return at = raw.raw() - 1, err;
		return 0;
	}

	// check reads what is not wanted and finds fault with it. depth is that of v.
	int check(ondemand::value v, int depth) {
		ondemand::json_type type;
		if (auto err = v.type().get(type))
			return err;
		switch (type) {
		case ondemand::json_type::array: {
			ondemand::array list;
			if (depth >= EVENTS_MAX_DEPTH)
				return EVENTS_DEEP;
			if (auto err = v.get_array().get(list))
				return err;
			for (auto element : list) {
				ondemand::value value;
				if (auto err = element.get(value))
					return err;
				if (int err = check(value, depth + 1))
					return err;
			}
			return 0;
		}
		case ondemand::json_type::object: {
			ondemand::object object;
			if (depth >= EVENTS_MAX_DEPTH)
				return EVENTS_DEEP;
			if (auto err = v.get_object().get(object))
				return err;
			return fields(object, [&](std::string_view, ondemand::value f, unsigned &) { return check(f, depth + 1); });
		}
		case ondemand::json_type::number: {
			double d;
			return v.get_double().get(d);
		}
		case ondemand::json_type::string: {
			uint8_t *nowhere = text_; // overwritten by the next string
			return unescape(v, nowhere);
		}
		case ondemand::json_type::boolean: {
			bool b;
			return v.get_bool().get(b);
		}
		case ondemand::json_type::null: {
			bool null;
			if (auto err = v.is_null().get(null))
				return err;
			return null ? 0 : int(N_ATOM_ERROR);
		}
		}
		return TAPE_ERROR;
	}
};

} // namespace

void *events_new(size_t ready) {
	auto p = new (std::nothrow) ondemand::parser();
	if (p != nullptr && p->allocate(ready)) {
		delete p;
		p = nullptr;
	}
	return p;
}

void events_free(void *parser) { delete static_cast<ondemand::parser *>(parser); }

void events_parse_long(void *parser, const char *data, size_t len, size_t room, seam_arena *arena, events_out *out) {
	auto &p = *static_cast<ondemand::parser *>(parser);
	*out = {};
	ondemand::document doc;
	if (auto err = p.iterate(data, len, room).get(doc)) {
		out->code = err;
		out->at = -1;
		return;
	}
	builder b(p, doc, arena);
	int err = b.reserve(len) ? b.run(&out->events) : int(EVENTS_ROOM);
	if (err == 0 && seam_arena_full(arena))
		err = EVENTS_ROOM;
	if (err != 0) {
		const char *at = b.at;
		if (at == nullptr && doc.current_location().get(at))
			at = data + len; // the end
		out->at = at - data;
		out->code = err;
		out->events = {};
	}
}

void events_parse(events_args *a) {
	events_parse_long(a->parser, a->doc.data, a->doc.len, a->room, a->arena, &a->out);
}

const char *events_error(int32_t code) {
	switch (code) {
	case EVENTS_DUPLICATE:
		return "a field that appears twice";
	case EVENTS_INTEGER:
		return "a number that is no integer of 64 bits";
	case EVENTS_DEEP:
		return "nested too deeply";
	}
	return error_message(error_code(code));
}
