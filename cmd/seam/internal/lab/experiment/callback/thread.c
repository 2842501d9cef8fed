//go:build cgo && unix

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include "callback.h"

struct seam_callback_thread {
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	pthread_t thread;
	struct seam_callback_loop *todo;
	int end;
};

static void *work(void *arg)
{
	struct seam_callback_thread *t = arg;
	pthread_mutex_lock(&t->mutex);
	for (;;) {
		while (!t->todo && !t->end)
			pthread_cond_wait(&t->changed, &t->mutex);
		if (t->end)
			break;
		pthread_mutex_unlock(&t->mutex);
		seam_callback_export(t->todo);
		pthread_mutex_lock(&t->mutex);
		t->todo = NULL;
		pthread_cond_broadcast(&t->changed);
	}
	pthread_mutex_unlock(&t->mutex);
	return NULL;
}

int seam_callback_thread_new(struct seam_callback_thread **out)
{
	struct seam_callback_thread *t = calloc(1, sizeof *t);
	if (!t)
		return ENOMEM;
	pthread_mutex_init(&t->mutex, NULL);
	pthread_cond_init(&t->changed, NULL);
	int err = pthread_create(&t->thread, NULL, work, t);
	if (err) {
		free(t);
		return err;
	}
	*out = t;
	return 0;
}

void seam_callback_thread_run(struct seam_callback_thread *t, struct seam_callback_loop *l)
{
	pthread_mutex_lock(&t->mutex);
	t->todo = l;
	pthread_cond_broadcast(&t->changed);
	while (t->todo)
		pthread_cond_wait(&t->changed, &t->mutex);
	pthread_mutex_unlock(&t->mutex);
}

void seam_callback_thread_free(struct seam_callback_thread *t)
{
	pthread_mutex_lock(&t->mutex);
	t->end = 1;
	pthread_cond_broadcast(&t->changed);
	pthread_mutex_unlock(&t->mutex);
	pthread_join(t->thread, NULL);
	pthread_cond_destroy(&t->changed);
	pthread_mutex_destroy(&t->mutex);
	free(t);
}
