/* The C side: a stream of libzstd that keeps its input in a registered buffer of Go's. */
#include <seam/mem.h>
#include <seam/token.h>

typedef struct stream stream;

/* Errors besides those of seam/mem.h. */
enum {
	STREAM_EBUSY = -100, /* it still has a buffer */
	STREAM_ELENGTH = -101, /* more bytes than the buffer has */
	STREAM_ECANCELLED = -102,
	STREAM_EZSTD = -103 /* see zstd */
};

enum { STREAM_GO_ON, STREAM_FLUSH, STREAM_END };

typedef struct {
	size_t produced; /* bytes written */
	size_t zstd;     /* libzstd's error */
	int32_t err;
	int32_t done; /* all that can be made of the input has been */
	int32_t open; /* reading: a frame is not at its end */
} stream_out;

/* stream_new: a level makes one that compresses, 0 one that decompresses. The inputs come
 * out of pool. NULL without memory. */
stream *stream_new(const seam_pool *pool, int level);

/* stream_free gives the buffer back that the stream still has. */
void stream_free(stream *s);

/* stream_take takes over the first len bytes of a buffer: the stream holds it until all of
 * it is compressed, or stream_free. A leaf function. */
typedef struct {
	stream *s;
	seam_buffer buffer;
	uint64_t len;
	int32_t err;
} stream_take_args;
void stream_take(stream_take_args *args);

/* stream_step works until the input is used up or the room is, or the context has ended.
 * Not a leaf function: it may take milliseconds. */
void stream_step(stream *s, int op, uint8_t *to, size_t room, const seam_token *cancel, stream_out *out);

/* The same with room in a buffer of a pool. */
void stream_step_buffer(stream *s, int op, const seam_pool *pool, seam_buffer to, const seam_token *cancel, stream_out *out);

/* A frame at once. A leaf function while in and out are small and the level is low. */
typedef struct {
	stream *s;
	seam_str in;
	seam_bytes out;
	size_t zstd; /* libzstd's error */
} stream_block_args;
void stream_block(stream_block_args *args);

/* The same for cgo, whose rules want each pointer to Go memory as an argument of its own. */
typedef struct {
	size_t len, need, zstd;
} stream_block_out;
void stream_block_long(stream *s, const char *in, size_t n, uint8_t *to, size_t room, stream_block_out *out);

/* stream_error is libzstd's word for an error. */
const char *stream_error(size_t zstd);
