//go:build payload_cxx

/* codec.h: what a C++ library does for the program, by the ways that Go calls it. */
#ifndef PAYLOAD_CODEC_H
#define PAYLOAD_CODEC_H

#include <seam/mem.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CODEC_OK = 0, CODEC_MALFORMED = 1, CODEC_MEMORY = 2, CODEC_BUFFER = 3 };

/* codec is the work, in each library's own file: it decodes the message of n bytes at in,
 * of which readable bytes may be looked at, and encodes the answer into out. */
int codec(const char *in, size_t n, size_t readable, seam_bytes *out);

/* codec_padding is 1 where the library reads behind a message that has no slack, and so
 * has to copy it first. */
int codec_padding(void);

/* codec_version names the library. "" is one that can't run on this machine. */
const char *codec_version(void);

/* A result that C allocated, and Go has to free. */
typedef struct {
	char *data;
	size_t len;
	int status;
} owned;

/* A result in memory that Go gave: what codec has made of its seam_bytes. */
typedef struct {
	size_t len, need;
	int status;
} filled;

/* The arguments of the leaf function; codecArgs in Go. */
typedef struct {
	seam_str in;
	size_t readable;
	seam_bytes out;
	int64_t status;
} codec_args;

/* codec_register tells of the pool, once. */
void codec_register(void *pool);

owned codec_copy(const char *in, size_t n);
owned codec_view(const char *in, size_t n, size_t readable);
filled codec_fill(const char *in, size_t n, size_t readable, uint8_t *out, size_t cap);
filled codec_registered(seam_buffer in, size_t n, seam_buffer out);
void codec_leaf(codec_args *args);

/* The same entries, with nothing in them: what the crossing costs. */
owned empty_copy(const char *in, size_t n);
owned empty_view(const char *in, size_t n, size_t readable);
filled empty_fill(const char *in, size_t n, size_t readable, uint8_t *out, size_t cap);
filled empty_registered(seam_buffer in, size_t n, seam_buffer out);
void empty_leaf(codec_args *args);
void *empty_malloc(size_t n);
void empty_free(void *p);

/* The pieces of a call, times over, in C. */
int repeat_codec(const char *in, size_t n, size_t readable, uint8_t *out, size_t cap, size_t times);
void repeat_copy(uint8_t *to, const char *from, size_t n, size_t times);
void repeat_malloc(size_t n, size_t times);

#ifdef __cplusplus
}
#endif
#endif
