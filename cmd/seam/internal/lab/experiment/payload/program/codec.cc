//go:build payload_cxx

// codec.cc: the ways to call a library, the same for all.
#include "codec.h"

#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

const seam_pool *pool; // Go memory, pinned until the pool is closed

// result encodes into memory of this thread that is used again, and copies the answer
// to memory for the caller, as programs do that return a C string.
owned result(const char *in, size_t n, size_t readable) {
	static thread_local std::vector<uint8_t> room(4096);
	for (;;) {
		seam_bytes out = {room.data(), 0, room.size(), 0};
		int status = codec(in, n, readable, &out);
		if (status != CODEC_OK)
			return {nullptr, 0, status};
		if (out.need != 0) {
			try {
				room.resize(out.need);
			} catch (...) {
				return {nullptr, 0, CODEC_MEMORY};
			}
			continue;
		}
		char *data = static_cast<char *>(std::malloc(out.len + 1));
		if (data == nullptr)
			return {nullptr, 0, CODEC_MEMORY};
		std::memcpy(data, room.data(), out.len);
		data[out.len] = 0;
		return {data, out.len, CODEC_OK};
	}
}

// keep stands for a use of what a loop computes.
inline void keep(const void *p) { __asm__ volatile("" : : "r"(p) : "memory"); }

} // namespace

extern "C" {

owned codec_copy(const char *in, size_t n) { return result(in, n, n); }

owned codec_view(const char *in, size_t n, size_t readable) { return result(in, n, readable); }

filled codec_fill(const char *in, size_t n, size_t readable, uint8_t *to, size_t cap) {
	seam_bytes out = {to, 0, cap, 0};
	int status = codec(in, n, readable, &out);
	return {out.len, out.need, status};
}

void codec_register(void *p) { pool = static_cast<const seam_pool *>(p); }

filled codec_registered(seam_buffer in, size_t n, seam_buffer to) {
	uint8_t *data;
	size_t readable;
	seam_bytes out = {nullptr, 0, 0, 0};
	if (seam_buffer_data(pool, in, &data, &readable) != SEAM_MEM_OK || n > readable ||
	    seam_buffer_data(pool, to, &out.data, &out.cap) != SEAM_MEM_OK)
		return {0, 0, CODEC_BUFFER};
	int status = codec(reinterpret_cast<const char *>(data), n, readable, &out);
	return {out.len, out.need, status};
}

void codec_leaf(codec_args *args) {
	args->status = codec(args->in.data, args->in.len, args->readable, &args->out);
}

owned empty_copy(const char *, size_t) { return {}; }
owned empty_view(const char *, size_t, size_t) { return {}; }
filled empty_fill(const char *, size_t, size_t, uint8_t *, size_t) { return {}; }
filled empty_registered(seam_buffer, size_t, seam_buffer) { return {}; }
void empty_leaf(codec_args *) {}
void *empty_malloc(size_t) { return nullptr; }
void empty_free(void *) {}

int repeat_codec(const char *in, size_t n, size_t readable, uint8_t *to, size_t cap, size_t times) {
	for (size_t i = 0; i < times; i++) {
		seam_bytes out = {to, 0, cap, 0};
		int status = codec(in, n, readable, &out);
		if (status != CODEC_OK || out.need != 0)
			return status == CODEC_OK ? CODEC_MEMORY : status;
		keep(to);
	}
	return CODEC_OK;
}

void repeat_copy(uint8_t *to, const char *from, size_t n, size_t times) {
	for (size_t i = 0; i < times; i++) {
		std::memcpy(to, from, n);
		keep(to);
	}
}

void repeat_malloc(size_t n, size_t times) {
	for (size_t i = 0; i < times; i++) {
		void *p = std::malloc(n);
		keep(p);
		std::free(p);
	}
}

} // extern "C"
