//go:build cgo && unix

#include "callback.h"
#include "_cgo_export.h"

void seam_callback_export(struct seam_callback_loop *l)
{
	int64_t sum = 0;
	for (int64_t i = 0; i < l->n; i++) {
		struct seam_callback_item item = {i, 0};
		seamCallbackItem(&item);
		sum += item.result;
	}
	l->sum = sum;
}

void seam_callback_export_channel(struct seam_callback_loop *l)
{
	int64_t sum = 0;
	for (int64_t i = 0; i < l->n; i++) {
		struct seam_callback_item item = {i, 0};
		seamCallbackAsk(l->go, &item);
		sum += item.result;
	}
	l->sum = sum;
}

/* collect fills the batch with the next items. */
static void collect(struct seam_callback_batch *b, int64_t next, int64_t end)
{
	b->n = end - next < SEAM_CALLBACK_BATCH ? end - next : SEAM_CALLBACK_BATCH;
	for (int64_t k = 0; k < b->n; k++)
		b->items[k].value = next + k;
}

static int64_t results(const struct seam_callback_batch *b)
{
	int64_t sum = 0;
	for (int64_t k = 0; k < b->n; k++)
		sum += b->items[k].result;
	return sum;
}

void seam_callback_export_batch(struct seam_callback_loop *l)
{
	struct seam_callback_batch b;
	int64_t sum = 0;
	for (int64_t i = 0; i < l->n; i += b.n) {
		collect(&b, i, l->n);
		seamCallbackBatch(&b);
		sum += results(&b);
	}
	l->sum = sum;
}

int64_t seam_callback_upcall(seam_coro *co, void *loop)
{
	struct seam_callback_loop *l = loop;
	int64_t sum = 0;
	for (int64_t i = 0; i < l->n; i++) {
		struct seam_callback_item item = {i, 0};
		int err = seam_upcall(co, l->go, &item);
		if (err)
			return err;
		sum += item.result;
	}
	l->sum = sum;
	return 0;
}

int64_t seam_callback_upcall_batch(seam_coro *co, void *loop)
{
	struct seam_callback_loop *l = loop;
	struct seam_callback_batch b;
	int64_t sum = 0;
	for (int64_t i = 0; i < l->n; i += b.n) {
		collect(&b, i, l->n);
		int err = seam_upcall(co, l->go, &b);
		if (err)
			return err;
		sum += results(&b);
	}
	l->sum = sum;
	return 0;
}

void *seam_callback_upcall_address(void) { return (void *)seam_callback_upcall; }
void *seam_callback_upcall_batch_address(void) { return (void *)seam_callback_upcall_batch; }
