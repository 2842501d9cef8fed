//go:build cgo && seam_libs

#include "stream.h"

#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

struct stream {
	const seam_pool *pool;
	ZSTD_CCtx *c; /* one of the two */
	ZSTD_DCtx *d;
	seam_buffer held; /* 0: none */
	const uint8_t *data;
	size_t len, at; /* of data; at: what libzstd has taken */
	int open;
};

/* The context is looked at after so many bytes: some 50 us of work at a usual level. */
#define PIECE (16 << 10)

stream *stream_new(const seam_pool *pool, int level) {
	stream *s = calloc(1, sizeof *s);
	if (s == NULL)
		return NULL;
	s->pool = pool;
	if (level == 0) {
		s->d = ZSTD_createDCtx();
		s->open = 1; /* nothing at all is no stream */
	} else {
		s->c = ZSTD_createCCtx();
		if (s->c != NULL) {
			ZSTD_CCtx_setParameter(s->c, ZSTD_c_compressionLevel, level);
			ZSTD_CCtx_setParameter(s->c, ZSTD_c_checksumFlag, 1);
		}
	}
	if (s->c == NULL && s->d == NULL) {
		free(s);
		return NULL;
	}
	return s;
}

/* drop lets the input go. Go released the buffer when it handed it over, so with this the
 * pool has it back. */
static void drop(stream *s) {
	if (s->held != 0)
		seam_buffer_release(s->pool, s->held);
	s->held = 0;
	s->data = NULL;
	s->len = s->at = 0;
}

void stream_free(stream *s) {
	if (s == NULL)
		return;
	drop(s);
	ZSTD_freeCCtx(s->c);
	ZSTD_freeDCtx(s->d);
	free(s);
}

void stream_take(stream_take_args *a) {
	stream *s = a->s;
	uint8_t *data = NULL;
	size_t cap = 0;
	if (s->held != 0) {
		a->err = STREAM_EBUSY;
		return;
	}
	/* First the hold: behind it nobody can take the buffer away. */
	a->err = seam_buffer_hold(s->pool, a->buffer);
	if (a->err != SEAM_MEM_OK)
		return;
	seam_buffer_data(s->pool, a->buffer, &data, &cap);
	if (a->len > cap) {
		seam_buffer_release(s->pool, a->buffer);
		a->err = STREAM_ELENGTH;
		return;
	}
	s->held = a->buffer;
	s->data = data;
	s->len = a->len;
	s->at = 0;
}

static void compress(stream *s, int op, ZSTD_outBuffer *to, const seam_token *cancel, stream_out *out) {
	static const ZSTD_EndDirective ends[] = {ZSTD_e_continue, ZSTD_e_flush, ZSTD_e_end};
	for (;;) {
		if (seam_cancelled(cancel)) {
			out->err = STREAM_ECANCELLED;
			return;
		}
		size_t end = s->len - s->at > PIECE ? s->at + PIECE : s->len;
		ZSTD_inBuffer in = {s->data, end, s->at};
		size_t left = ZSTD_compressStream2(s->c, to, &in, end == s->len ? ends[op] : ZSTD_e_continue);
		if (ZSTD_isError(left)) {
			out->err = STREAM_EZSTD;
			out->zstd = left;
			return;
		}
		s->at = in.pos;
		if (s->at == s->len && (op == STREAM_GO_ON || (end == s->len && left == 0))) {
			out->done = 1;
			return;
		}
		if (to->pos == to->size)
			return;
	}
}

static void decompress(stream *s, ZSTD_outBuffer *to, const seam_token *cancel, stream_out *out) {
	/* At the end of a frame libzstd has nothing left; asked again, it begins the next. */
	while (s->at < s->len || s->open) {
		if (seam_cancelled(cancel)) {
			out->err = STREAM_ECANCELLED;
			return;
		}
		size_t end = s->len - s->at > PIECE ? s->at + PIECE : s->len;
		size_t before = to->pos;
		ZSTD_inBuffer in = {s->data, end, s->at};
		size_t left = ZSTD_decompressStream(s->d, to, &in);
		if (ZSTD_isError(left)) {
			out->err = STREAM_EZSTD;
			out->zstd = left;
			return;
		}
		s->open = left != 0;
		int idle = in.pos == s->at && to->pos == before;
		s->at = in.pos;
		if (to->pos == to->size && s->open)
			return; /* there may be more of it */
		if (idle && s->at == s->len)
			break;
	}
	out->done = s->at == s->len;
}

void stream_step(stream *s, int op, uint8_t *data, size_t room, const seam_token *cancel, stream_out *out) {
	ZSTD_outBuffer to = {data, room, 0};
	memset(out, 0, sizeof *out);
	if (s->c != NULL)
		compress(s, op, &to, cancel, out);
	else
		decompress(s, &to, cancel, out);
	out->produced = to.pos;
	out->open = s->open;
	if (s->at == s->len) /* libzstd has its own copy of what it still needs */
		drop(s);
}

void stream_step_buffer(stream *s, int op, const seam_pool *pool, seam_buffer to, const seam_token *cancel, stream_out *out) {
	uint8_t *data;
	size_t cap;
	int err = seam_buffer_data(pool, to, &data, &cap);
	if (err != SEAM_MEM_OK) {
		memset(out, 0, sizeof *out);
		out->err = err;
		return;
	}
	stream_step(s, op, data, cap, cancel, out);
}

void stream_block_long(stream *s, const char *in, size_t n, uint8_t *to, size_t room, stream_block_out *out) {
	size_t r;
	memset(out, 0, sizeof *out);
	if (s->c != NULL) {
		size_t most = ZSTD_compressBound(n);
		if (room < most && !ZSTD_isError(most)) {
			out->need = most;
			return;
		}
		r = ZSTD_compress2(s->c, to, room, in, n);
	} else {
		/* The size that the frame claims is asked for, not believed: Go has a limit, and
		 * libzstd writes no more than there is room for. */
		unsigned long long size = ZSTD_getFrameContentSize(in, n);
		if (size != ZSTD_CONTENTSIZE_UNKNOWN && size != ZSTD_CONTENTSIZE_ERROR && size > room) {
			out->need = size > SIZE_MAX ? SIZE_MAX : (size_t)size;
			return;
		}
		r = ZSTD_decompressDCtx(s->d, to, room, in, n);
		if (ZSTD_getErrorCode(r) == ZSTD_error_dstSize_tooSmall) {
			out->need = room < 1024 ? 2048 : 2 * room;
			return;
		}
	}
	if (ZSTD_isError(r))
		out->zstd = r;
	else
		out->len = r;
}

void stream_block(stream_block_args *a) {
	stream_block_out out;
	stream_block_long(a->s, a->in.data, a->in.len, a->out.data, a->out.cap, &out);
	a->out.len = out.len;
	a->out.need = out.need;
	a->zstd = out.zstd;
}

const char *stream_error(size_t zstd) { return ZSTD_getErrorName(zstd); }
