//go:build cgo && linux && seam_servers

#include <stdlib.h>
#include <string.h>
#include "calls.h"

static int64_t is_value(const redisReply *r) {
	return r && r->type == REDIS_REPLY_STRING && r->len == strlen(IOBENCH_VALUE) && !memcmp(r->str, IOBENCH_VALUE, r->len);
}

int64_t iobench_get(seam_coro *co, void *arg) {
	redisReply *r = redisCommand(arg, "GET " IOBENCH_KEY);
	int64_t failed = !is_value(r);
	(void)co;
	if (r)
		freeReplyObject(r);
	return failed;
}

int64_t iobench_blpop(seam_coro *co, void *arg) {
	redisReply *r = redisCommand(arg, "BLPOP " IOBENCH_KEY ":list 0");
	int64_t failed = !(r && r->type == REDIS_REPLY_ARRAY && r->elements == 2 && is_value(r->element[1]));
	(void)co;
	if (r)
		freeReplyObject(r);
	return failed;
}

int64_t iobench_plainly(void *fn, void *arg) { return ((seam_coro_fn)fn)(NULL, arg); }

static int64_t succeeds(redisReply *r) {
	int64_t failed = !r || r->type == REDIS_REPLY_ERROR;
	if (r)
		freeReplyObject(r);
	return failed;
}

int64_t iobench_set(redisContext *c) { return succeeds(redisCommand(c, "SET " IOBENCH_KEY " " IOBENCH_VALUE)); }

int64_t iobench_push(redisContext *c, int n) {
	int64_t failed = 0;
	while (n-- > 0)
		failed |= succeeds(redisCommand(c, "RPUSH " IOBENCH_KEY ":list " IOBENCH_VALUE));
	return failed;
}

int64_t iobench_blocked(redisContext *c) {
	static const char field[] = "blocked_clients:";
	redisReply *r = redisCommand(c, "INFO clients");
	int64_t n = -1;
	if (r && r->str) {
		const char *at = strstr(r->str, field);
		if (at)
			n = atoll(at + sizeof field - 1);
	}
	if (r)
		freeReplyObject(r);
	return n;
}
