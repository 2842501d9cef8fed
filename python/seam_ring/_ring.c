/* The extension behind package seam_ring: seam/ring.h for Python. */
#include "_ring.h"

static PyObject *gone_error;
PyObject *corrupt_error, *mismatch_error, *forked_error;

enum { READER, WRITER };

/* A Lent counts the views of one record. */
typedef struct Lent {
	Py_ssize_t views;
	uint64_t begin; /* the record's position */
	struct Lent *next;
} Lent;

/* Memory is the mapping, which views of records keep alive. A record that is still in use when
 * the next one is asked for isn't given back to the writer, nor are those after it. */
typedef struct {
	PyObject_HEAD
	seam_ring_conn c;
	int open;
	int copies; /* records are copied: the writer drops the oldest, or isn't trusted */
	void *at;   /* what is lent by the next getbuffer; NULL: nothing */
	Py_ssize_t size;
	int lending; /* of which end */
	Lent *lent[2];
	Lent *kept, **last; /* the reader's earlier records that are in use, in their order */
} Memory;

static int memory_get(PyObject *o, Py_buffer *view, int flags)
{
	Memory *m = (Memory *)o;
	if (m->at == NULL) {
		view->obj = NULL;
		PyErr_SetString(PyExc_BufferError, "a record is had from Conn.next or Conn.reserve");
		return -1;
	}
	if (PyBuffer_FillInfo(view, o, m->at, m->size, m->lending == READER, flags) != 0)
		return -1;
	view->internal = m->lent[m->lending];
	m->lent[m->lending]->views++;
	return 0;
}

static void memory_release(PyObject *o, Py_buffer *view)
{
	(void)o;
	((Lent *)view->internal)->views--;
}

static void memory_dealloc(PyObject *o)
{
	Memory *m = (Memory *)o;
	/* Without close() nothing was said, and nothing is said now: to the peer it is as if this
	 * process had died. */
	seam_ring_conn_abandon(&m->c);
	PyMem_Free(m->lent[READER]);
	PyMem_Free(m->lent[WRITER]);
	while (m->kept != NULL) {
		Lent *next = m->kept->next;
		PyMem_Free(m->kept);
		m->kept = next;
	}
	PyObject_Free(o);
}

static PyBufferProcs memory_buffer = {memory_get, memory_release};

static PyTypeObject memory_type = {
	PyVarObject_HEAD_INIT(NULL, 0).tp_name = "seam_ring._ring.Memory",
	.tp_basicsize = sizeof(Memory),
	.tp_dealloc = memory_dealloc,
	.tp_as_buffer = &memory_buffer,
	.tp_flags = Py_TPFLAGS_DEFAULT,
	.tp_doc = "The memory of a connection.",
};

static Memory *memory_new(void)
{
	Memory *m = PyObject_New(Memory, &memory_type);
	if (m == NULL)
		return NULL;
	memset((char *)m + sizeof(PyObject), 0, sizeof *m - sizeof(PyObject));
	m->last = &m->kept;
	m->lent[READER] = PyMem_Calloc(1, sizeof(Lent));
	m->lent[WRITER] = PyMem_Calloc(1, sizeof(Lent));
	if (m->lent[READER] == NULL || m->lent[WRITER] == NULL) {
		Py_DECREF(m);
		PyErr_NoMemory();
		return NULL;
	}
	return m;
}

typedef struct {
	PyObject_HEAD
	Memory *memory;    /* NULL before __init__ */
	PyObject *view[2]; /* the memoryview that each end has lent */
	int busy[2];       /* a thread is in a call of that end, without the GIL */
	int asleep;        /* tasks of event loops that watch the descriptors */
	int closing;       /* closed while a thread was in a call, or a task asleep: the last one does the rest */
	int aborts;
	size_t reserved;
} Conn;

static seam_ring_end *end_at(Conn *self, int end)
{
	return end == READER ? &self->memory->c.reader.e : &self->memory->c.writer.e;
}

/* fail sets the exception for an error of the header. */
static void *fail(int err)
{
	PyObject *kind = PyExc_RuntimeError;
	switch (err) {
	case SEAM_RING_END:
		kind = PyExc_EOFError;
		break;
	case SEAM_RING_EGONE:
		kind = gone_error;
		break;
	case SEAM_RING_EAGAIN:
		kind = PyExc_TimeoutError;
		break;
	case SEAM_RING_EINVALID:
		PyErr_SetString(PyExc_ValueError, "the record is larger than the ring, or than what was reserved");
		return NULL;
	case SEAM_RING_ECLOSED:
		kind = PyExc_ValueError;
		break;
	case SEAM_RING_ECORRUPT:
		kind = corrupt_error;
		break;
	case SEAM_RING_EFORKED:
		PyErr_SetString(forked_error, "the connection belongs to the process that this one was forked from: adopt() takes it over, abandon() frees the copy");
		return NULL;
	case SEAM_RING_ESYSTEM:
		return PyErr_SetFromErrno(PyExc_OSError);
	}
	PyErr_SetString(kind, seam_ring_strerror(err));
	return NULL;
}

/* finish does what close() left to the last call that was under way. */
static void finish(Conn *self)
{
	if (self->closing == 1 && !self->busy[READER] && !self->busy[WRITER]) {
		seam_ring_hang_up_(&self->memory->c, self->aborts);
		self->closing = 2;
	}
	if (self->closing == 2 && self->asleep == 0) {
		seam_ring_let_go_(&self->memory->c);
		self->closing = 3;
	}
}

/* release_view ends the use of the memoryview that an end has lent, as far as that is possible. */
static void release_view(Conn *self, int end)
{
	PyObject *view = self->view[end], *done;
	if (view == NULL)
		return;
	if ((done = PyObject_CallMethod(view, "release", NULL)) == NULL)
		PyErr_Clear(); /* an array is still made of it */
	Py_XDECREF(done);
	Py_CLEAR(self->view[end]);
}

/* keep_back has the reader give back no record that is still in use. */
static int keep_back(Memory *m)
{
	Lent *l = m->lent[READER];
	seam_ring_end *e = &m->c.reader.e;
	if (l->views > 0) {
		Lent *fresh = PyMem_Calloc(1, sizeof *fresh);
		if (fresh == NULL) {
			PyErr_NoMemory();
			return -1;
		}
		m->lent[READER] = fresh;
		l->next = NULL;
		*m->last = l;
		m->last = &l->next;
	}
	while (m->kept != NULL && m->kept->views == 0) {
		Lent *next = m->kept->next;
		PyMem_Free(m->kept);
		if ((m->kept = next) == NULL)
			m->last = &m->kept;
	}
	e->keeps = m->kept != NULL;
	if (e->keeps)
		e->kept = m->kept->begin;
	return 0;
}

/* take_back ends the use of the record that an end has lent. */
static int take_back(Conn *self, int end)
{
	release_view(self, end);
	if (end == READER)
		return self->memory->lent[READER]->views > 0 || self->memory->kept != NULL ? keep_back(self->memory) : 0;
	if (self->memory->lent[WRITER]->views > 0) {
		PyErr_SetString(PyExc_BufferError, "what was reserved is still in use, and could be changed after the peer has it: del the array or view that was made of it");
		return -1;
	}
	return 0;
}

/* alive says whether the connection is open. */
static int alive(Conn *self)
{
	if (self->memory != NULL && self->memory->open)
		return 1;
	PyErr_SetString(PyExc_ValueError, "the connection is closed");
	return 0;
}

/* enter begins a call of an end. */
static int enter(Conn *self, int end)
{
	if (!alive(self))
		return -1;
	if (self->busy[end]) {
		if ((int)getpid() != end_at(self, end)->owner) {
			self->busy[end] = 0; /* that thread wasn't forked with us */
			return 0;
		}
		PyErr_SetString(PyExc_RuntimeError, "another thread is in a call of this end");
		return -1;
	}
	return 0;
}

static PyObject *lend(Conn *self, int end, const void *at, size_t size)
{
	Memory *m = self->memory;
	m->at = (void *)(uintptr_t)at;
	m->size = (Py_ssize_t)size;
	m->lending = end;
	self->view[end] = PyMemoryView_FromObject((PyObject *)m);
	m->at = NULL;
	Py_XINCREF(self->view[end]);
	return self->view[end];
}

/* Timeouts are in seconds, or None for ever; here in ms. */
int timeout_of(PyObject *o, int *ms)
{
	double s;
	*ms = -1;
	if (o == NULL || o == Py_None)
		return 0;
	s = PyFloat_AsDouble(o);
	if (s == -1 && PyErr_Occurred())
		return -1;
	if (!(s >= 0)) {
		PyErr_SetString(PyExc_ValueError, "a timeout is 0 or more seconds, or None");
		return -1;
	}
	*ms = s > 1e6 ? 1000000000 : (int)(s * 1000);
	if (*ms == 0 && s > 0)
		*ms = 1;
	return 0;
}

/* Signals are looked at so often, in ms: Ctrl-C must end a wait. */
enum { SLICE = 200 };

/* A step waits for up to so many ms, without the GIL. */
typedef int step(Conn *self, void *args, int ms);

/* patiently takes steps until one doesn't say EAGAIN, or the timeout is over, which isn't 0.
 * It returns the step's result, or 1 with an exception. */
static int patiently(Conn *self, int end, step *s, void *args, int timeout)
{
	int64_t until = timeout > 0 ? seam_ring_ms_() + timeout : 0;
	int stuck = 0;
	for (;;) {
		int64_t left = timeout > 0 ? until - seam_ring_ms_() : SLICE;
		int err, keeps = end == READER && self->memory->kept != NULL;
		if (left <= 0)
			return SEAM_RING_EAGAIN;
		if (left > SLICE)
			left = SLICE;
		if (keeps && left > 20)
			left = 20;
		self->busy[end] = 1;
		Py_BEGIN_ALLOW_THREADS
		err = s(self, args, (int)left);
		Py_END_ALLOW_THREADS
		self->busy[end] = 0;
		finish(self);
		if (err != SEAM_RING_EAGAIN)
			return err;
		if (PyErr_CheckSignals() != 0)
			return 1;
		if (!alive(self)) /* closed by a signal's handler, or by another thread just now */
			return 1;
		if (!keeps)
			continue;
		/* Records are in use, there are no others, and the writer waits for room: if that is so
		 * twice, it stays so. */
		if (keep_back(self->memory) != 0)
			return 1;
		seam_ring_release(&self->memory->c.reader);
		stuck = self->memory->kept != NULL && (__atomic_load_n(&end_at(self, end)->theirs->state, __ATOMIC_SEQ_CST) & SEAM_RING_WAITS_) &&
			!seam_ring_ready(&self->memory->c.reader) ? stuck + 1 : 0;
		if (stuck == 2) {
			PyErr_SetString(PyExc_BufferError, "records that are still in use fill the ring, and the writer waits for room: copy what must live longer");
			return 1;
		}
	}
}

struct record {
	const void *at;
	size_t size;
};

static int next_step(Conn *self, void *args, int ms)
{
	struct record *r = args;
	return seam_ring_next(&self->memory->c.reader, &r->at, &r->size, ms);
}

static PyObject *next_within(Conn *self, int timeout, int *err)
{
	struct record r = {NULL, 0};
	*err = 1;
	if (enter(self, READER) != 0 || take_back(self, READER) != 0)
		return NULL;
	*err = SEAM_RING_EAGAIN;
	if (timeout == 0 || seam_ring_ready(&self->memory->c.reader))
		*err = next_step(self, &r, 0); /* if there is padding alone it says EAGAIN */
	if (*err == SEAM_RING_EAGAIN && timeout != 0)
		*err = patiently(self, READER, next_step, &r, timeout);
	if (*err != SEAM_RING_OK)
		return NULL;
	if (self->memory->copies) {
		PyObject *copy = PyBytes_FromStringAndSize(r.at, (Py_ssize_t)r.size), *view = copy == NULL ? NULL : PyMemoryView_FromObject(copy);
		Py_XDECREF(copy);
		return view;
	}
	self->memory->lent[READER]->begin = self->memory->c.reader.e.pos - seam_ring_size_(r.size);
	return lend(self, READER, r.at, r.size);
}

static PyObject *conn_next(PyObject *o, PyObject *args, PyObject *kw)
{
	static char *names[] = {"timeout", NULL};
	PyObject *t = NULL, *rec;
	int timeout, err;
	if (!PyArg_ParseTupleAndKeywords(args, kw, "|O:next", names, &t) || timeout_of(t, &timeout) != 0)
		return NULL;
	rec = next_within((Conn *)o, timeout, &err);
	return rec != NULL || err > 0 || PyErr_Occurred() ? rec : fail(err);
}

static PyObject *conn_try_next(PyObject *o, PyObject *none)
{
	int err;
	PyObject *rec = next_within((Conn *)o, 0, &err);
	(void)none;
	if (rec == NULL && err == SEAM_RING_EAGAIN && !PyErr_Occurred())
		Py_RETURN_NONE;
	return rec != NULL || err > 0 || PyErr_Occurred() ? rec : fail(err);
}

static PyObject *conn_iternext(PyObject *o)
{
	int err;
	PyObject *rec = next_within((Conn *)o, -1, &err);
	if (rec == NULL && err == SEAM_RING_END)
		return NULL; /* the iteration ends */
	return rec != NULL || err > 0 || PyErr_Occurred() ? rec : fail(err);
}

static PyObject *conn_release(PyObject *o, PyObject *none)
{
	Conn *self = (Conn *)o;
	(void)none;
	if (enter(self, READER) != 0 || take_back(self, READER) != 0)
		return NULL;
	seam_ring_release(&self->memory->c.reader);
	Py_RETURN_NONE;
}

struct room {
	size_t size;
	void *at;
};

static int reserve_step(Conn *self, void *args, int ms)
{
	struct room *r = args;
	return seam_ring_reserve(&self->memory->c.writer, r->size, &r->at, ms);
}

/* make_room finds room for a record. */
static int make_room(Conn *self, struct room *r, int timeout)
{
	int err;
	if (enter(self, WRITER) != 0 || take_back(self, WRITER) != 0)
		return -1;
	self->reserved = 0;
	/* Mostly there is room, and no need to let another thread run. */
	err = reserve_step(self, r, 0);
	if (err == SEAM_RING_EAGAIN && timeout != 0 && !self->memory->c.writer.e.drops)
		err = patiently(self, WRITER, reserve_step, r, timeout);
	if (err < 0)
		fail(err);
	else if (err == SEAM_RING_OK && !alive(self)) /* since just now */
		return -1;
	return err == SEAM_RING_OK ? 0 : -1;
}

static PyObject *conn_reserve(PyObject *o, PyObject *args, PyObject *kw)
{
	static char *names[] = {"size", "timeout", NULL};
	Conn *self = (Conn *)o;
	PyObject *t = NULL;
	Py_ssize_t n;
	struct room r = {0, NULL};
	int timeout;
	if (!PyArg_ParseTupleAndKeywords(args, kw, "n|O:reserve", names, &n, &t) || timeout_of(t, &timeout) != 0)
		return NULL;
	if (n < 0)
		return fail(SEAM_RING_EINVALID);
	r.size = (size_t)n;
	if (make_room(self, &r, timeout) != 0)
		return NULL;
	self->reserved = r.size;
	return lend(self, WRITER, r.at, r.size);
}

static PyObject *conn_commit(PyObject *o, PyObject *args)
{
	Conn *self = (Conn *)o;
	Py_ssize_t n = -1;
	int err;
	if (!PyArg_ParseTuple(args, "|n:commit", &n) || enter(self, WRITER) != 0 || take_back(self, WRITER) != 0)
		return NULL;
	if ((err = seam_ring_commit(&self->memory->c.writer, n < 0 ? self->reserved : (size_t)n)) != SEAM_RING_OK)
		return fail(err);
	Py_RETURN_NONE;
}

static PyObject *put(PyObject *o, PyObject *args, PyObject *kw, int publish)
{
	static char *names[] = {"data", "timeout", NULL};
	Conn *self = (Conn *)o;
	PyObject *t = NULL;
	Py_buffer data;
	struct room r = {0, NULL};
	int timeout, err;
	if (!PyArg_ParseTupleAndKeywords(args, kw, "y*|O", names, &data, &t))
		return NULL;
	r.size = (size_t)data.len;
	if (timeout_of(t, &timeout) != 0 || make_room(self, &r, timeout) != 0) {
		PyBuffer_Release(&data);
		return NULL;
	}
	if (r.size != 0)
		memcpy(r.at, data.buf, r.size);
	PyBuffer_Release(&data);
	err = seam_ring_commit(&self->memory->c.writer, r.size);
	if (err == SEAM_RING_OK && publish)
		err = seam_ring_flush(&self->memory->c.writer);
	if (err != SEAM_RING_OK)
		return fail(err);
	Py_RETURN_NONE;
}

static PyObject *conn_append(PyObject *o, PyObject *args, PyObject *kw) { return put(o, args, kw, 0); }
static PyObject *conn_send(PyObject *o, PyObject *args, PyObject *kw) { return put(o, args, kw, 1); }

static PyObject *conn_flush(PyObject *o, PyObject *none)
{
	Conn *self = (Conn *)o;
	int err;
	(void)none;
	if (enter(self, WRITER) != 0)
		return NULL;
	if ((err = seam_ring_flush(&self->memory->c.writer)) != SEAM_RING_OK)
		return fail(err);
	Py_RETURN_NONE;
}

static PyObject *conn_end(PyObject *o, PyObject *none)
{
	Conn *self = (Conn *)o;
	int err;
	(void)none;
	if (enter(self, WRITER) != 0)
		return NULL;
	release_view(self, WRITER);
	if ((err = seam_ring_own_(&self->memory->c.writer.e)) != SEAM_RING_OK)
		return fail(err);
	seam_ring_end_of_records(&self->memory->c.writer);
	Py_RETURN_NONE;
}

/* hang_up closes the connection, or aborts it. Calls of other threads that wait return, and
 * views of records stay what they are. */
static PyObject *hang_up(Conn *self, int aborts)
{
	int forked;
	if (self->memory == NULL || !self->memory->open)
		Py_RETURN_NONE;
	forked = (int)getpid() != self->memory->c.writer.e.owner && (int)getpid() != self->memory->c.reader.e.owner;
	if (forked) /* those threads weren't forked with us */
		self->busy[READER] = self->busy[WRITER] = 0;
	self->memory->open = 0;
	self->aborts = aborts;
	self->closing = 1;
	release_view(self, READER);
	release_view(self, WRITER);
	if (!forked && (self->busy[READER] || self->busy[WRITER] || self->asleep > 0))
		seam_ring_conn_stop(&self->memory->c);
	finish(self);
	while (self->closing == 1) { /* a thread is about to return: it needs the GIL */
		struct timespec moment = {0, 100000};
		Py_BEGIN_ALLOW_THREADS
		nanosleep(&moment, NULL);
		Py_END_ALLOW_THREADS
	}
	Py_RETURN_NONE;
}

static PyObject *conn_close(PyObject *o, PyObject *none)
{
	(void)none;
	return hang_up((Conn *)o, 0);
}

static PyObject *conn_abort(PyObject *o, PyObject *none)
{
	(void)none;
	return hang_up((Conn *)o, 1);
}

static PyObject *conn_abandon(PyObject *o, PyObject *none)
{
	Conn *self = (Conn *)o;
	(void)none;
	if (self->memory == NULL || !self->memory->open)
		Py_RETURN_NONE;
	if (enter(self, READER) != 0 || enter(self, WRITER) != 0)
		return NULL;
	self->memory->open = 0;
	release_view(self, READER);
	release_view(self, WRITER);
	self->closing = 2; /* without a word */
	finish(self);
	Py_RETURN_NONE;
}

static PyObject *conn_adopt(PyObject *o, PyObject *none)
{
	Conn *self = (Conn *)o;
	int err;
	(void)none;
	if (enter(self, READER) != 0 || enter(self, WRITER) != 0)
		return NULL;
	if ((err = seam_ring_conn_adopt(&self->memory->c)) != SEAM_RING_OK)
		return fail(err);
	self->asleep = 0; /* the tasks are the parent's */
	Py_RETURN_NONE;
}

static PyObject *conn_fileno(PyObject *o, PyObject *none)
{
	Conn *self = (Conn *)o;
	(void)none;
	return alive(self) ? PyLong_FromLong(self->memory->c.sock) : NULL;
}

/* end_of is the end that a method for event loops is called for. */
static seam_ring_end *end_of(Conn *self, PyObject *arg, int *end)
{
	int reader = PyObject_IsTrue(arg);
	*end = reader ? READER : WRITER;
	if (reader < 0 || enter(self, *end) != 0)
		return NULL;
	return reader ? &self->memory->c.reader.e : &self->memory->c.writer.e;
}

static PyObject *conn_bell(PyObject *o, PyObject *arg)
{
	int reader = PyObject_IsTrue(arg);
	if (reader < 0 || !alive((Conn *)o))
		return NULL;
	return PyLong_FromLong(seam_ring_fd(end_at((Conn *)o, reader ? READER : WRITER)));
}

static PyObject *conn_arm(PyObject *o, PyObject *arg)
{
	Conn *self = (Conn *)o;
	int end;
	seam_ring_end *e = end_of(self, arg, &end);
	if (e == NULL || take_back(self, end) != 0)
		return NULL;
	if (end == READER ? seam_ring_arm_reader(&self->memory->c.reader) : seam_ring_arm_writer(&self->memory->c.writer)) {
		self->asleep++;
		Py_RETURN_TRUE;
	}
	seam_ring_disarm(e);
	Py_RETURN_FALSE;
}

static PyObject *conn_disarm(PyObject *o, PyObject *arg)
{
	Conn *self = (Conn *)o;
	int reader = PyObject_IsTrue(arg);
	if (reader < 0)
		return NULL;
	if (self->asleep > 0)
		self->asleep--;
	if (self->memory->open)
		seam_ring_disarm(end_at(self, reader ? READER : WRITER));
	else
		finish(self); /* closed while it slept */
	Py_RETURN_NONE;
}

static PyObject *conn_spins(PyObject *o, PyObject *arg)
{
	Conn *self = (Conn *)o;
	long n = PyLong_AsLong(arg);
	if (n == -1 && PyErr_Occurred())
		return NULL;
	if (n < 0 || n > 1 << 30) {
		PyErr_SetString(PyExc_ValueError, "how often to look: 0 to 2**30");
		return NULL;
	}
	if (enter(self, READER) != 0 || enter(self, WRITER) != 0)
		return NULL;
	seam_ring_spins(&self->memory->c.reader.e, (unsigned)n);
	seam_ring_spins(&self->memory->c.writer.e, (unsigned)n);
	Py_RETURN_NONE;
}

static PyObject *conn_drops(PyObject *o, void *none)
{
	Conn *self = (Conn *)o;
	(void)none;
	return alive(self) ? PyBool_FromLong(self->memory->c.writer.e.drops) : NULL;
}

static PyObject *conn_dropped(PyObject *o, void *none)
{
	Conn *self = (Conn *)o;
	(void)none;
	if (self->memory == NULL) {
		PyErr_SetString(PyExc_ValueError, "the connection was never made");
		return NULL;
	}
	return Py_BuildValue("KK", (unsigned long long)__atomic_load_n(&self->memory->c.writer.e.mine->dropped, __ATOMIC_RELAXED),
		(unsigned long long)__atomic_load_n(&self->memory->c.reader.e.theirs->dropped, __ATOMIC_RELAXED));
}

static PyObject *conn_taken(PyObject *o, void *none)
{
	Conn *self = (Conn *)o;
	(void)none;
	if (self->memory == NULL) {
		PyErr_SetString(PyExc_ValueError, "the connection was never made");
		return NULL;
	}
	if (self->busy[WRITER]) /* another thread is writing */
		return PyLong_FromUnsignedLongLong(self->memory->c.writer.e.taken);
	return PyLong_FromUnsignedLongLong(seam_ring_taken(&self->memory->c.writer));
}

static PyGetSetDef conn_attributes[] = {
	{"taken", conn_taken, NULL, "how many of this side's records, from the first on, the peer is done with; what came after them may be lost once it is gone", NULL},
	{"drops", conn_drops, NULL, "whether the writer drops the oldest records when there is no room", NULL},
	{"dropped", conn_dropped, NULL, "how many records were dropped: by this side's writer, and by the peer's", NULL},
	{NULL, NULL, NULL, NULL, NULL},
};

static PyObject *conn_enter(PyObject *o, PyObject *none)
{
	(void)none;
	Py_INCREF(o);
	return o;
}

static PyObject *conn_exit(PyObject *o, PyObject *args)
{
	PyObject *kind = Py_None, *value, *trace;
	if (!PyArg_ParseTuple(args, "|OOO:__exit__", &kind, &value, &trace))
		return NULL;
	return hang_up((Conn *)o, kind != Py_None);
}

static PyObject *conn_self(PyObject *o)
{
	Py_INCREF(o);
	return o;
}

/* interrupted is asked while the peer is silent during the set-up. */
static int interrupted(void *data)
{
	PyThreadState **thread = data;
	int raised;
	PyEval_RestoreThread(*thread);
	raised = PyErr_CheckSignals() != 0;
	*thread = PyEval_SaveThread();
	return raised;
}

static int conn_init(PyObject *o, PyObject *args, PyObject *kw)
{
	static char *names[] = {"fd", "serve", "capacity", "max_capacity", "drop_oldest", "untrusted", "timeout", NULL};
	Conn *self = (Conn *)o;
	Memory *m;
	seam_ring_options options;
	unsigned long long capacity = 0, max = 0;
	PyObject *timeout = NULL;
	PyThreadState *thread;
	int fd, err, no, serve = 0;
	memset(&options, 0, sizeof options);
	if (!PyArg_ParseTupleAndKeywords(args, kw, "i|pKKppO:Conn", names, &fd, &serve, &capacity, &max, &options.drop_oldest, &options.untrusted, &timeout) ||
	    timeout_of(timeout, &options.timeout) != 0)
		return -1;
	options.capacity = capacity;
	options.max_capacity = max;
	if (options.timeout == 0)
		options.timeout = 1;
	if (self->memory != NULL) {
		PyErr_SetString(PyExc_RuntimeError, "it is connected already");
		return -1;
	}
	if ((m = memory_new()) == NULL)
		return -1;
	options.cancelled = interrupted;
	options.data = &thread;
	thread = PyEval_SaveThread();
	err = serve ? seam_ring_serve(&m->c, fd, &options) : seam_ring_connect(&m->c, fd, &options);
	no = errno;
	PyEval_RestoreThread(thread);
	if (err != SEAM_RING_OK) {
		PyObject *kind = err == SEAM_RING_EMISMATCH ? mismatch_error
			: err == SEAM_RING_EGONE ? gone_error
			: err == SEAM_RING_EAGAIN ? PyExc_TimeoutError
			: err == SEAM_RING_EINVALID ? PyExc_ValueError : PyExc_OSError;
		if (PyErr_Occurred()) {
			/* a signal's handler raised it */
		} else if (kind == PyExc_OSError) {
			PyObject *what = Py_BuildValue("(is)", no, m->c.error);
			if (what != NULL)
				PyErr_SetObject(kind, what);
			Py_XDECREF(what);
		} else {
			PyErr_SetString(kind, m->c.error);
		}
		Py_DECREF(m);
		return -1;
	}
	m->open = 1;
	m->copies = options.untrusted || m->c.reader.e.drops;
	self->memory = m;
	return 0;
}

static void conn_dealloc(PyObject *o)
{
	Conn *self = (Conn *)o;
	PyTypeObject *type = Py_TYPE(o);
	/* Views that others have keep the memory. */
	Py_XDECREF(self->view[READER]);
	Py_XDECREF(self->view[WRITER]);
	if (self->memory != NULL)
		seam_ring_let_go_(&self->memory->c);
	Py_XDECREF(self->memory);
	type->tp_free(o);
}

static PyMethodDef conn_methods[] = {
	{"next", WITH_NAMES(conn_next), "next(timeout=None): waits for a record, and returns it where it lies"},
	{"try_next", conn_try_next, METH_NOARGS, "the next record, or None if there is none now"},
	{"release", conn_release, METH_NOARGS, "gives back what was read, before something that takes long"},
	{"reserve", WITH_NAMES(conn_reserve), "reserve(size, timeout=None): room for a record, in the ring itself"},
	{"commit", conn_commit, METH_VARARGS, "commit(size=all): makes a record of the first bytes reserved, which flush publishes"},
	{"append", WITH_NAMES(conn_append), "append(data, timeout=None): copies a record into the ring, which flush publishes"},
	{"send", WITH_NAMES(conn_send), "send(data, timeout=None): append and flush"},
	{"flush", conn_flush, METH_NOARGS, "publishes what is committed"},
	{"end", conn_end, METH_NOARGS, "publishes what is committed, and says that nothing follows"},
	{"close", conn_close, METH_NOARGS, "publishes what is committed, says that nothing follows, and hangs up; any thread may call it"},
	{"abort", conn_abort, METH_NOARGS, "hangs up before the records are complete: the peer gets GoneError"},
	{"abandon", conn_abandon, METH_NOARGS, "frees a forked child's copy, and tells the peer nothing"},
	{"adopt", conn_adopt, METH_NOARGS, "makes a forked child the one that uses the connection"},
	{"fileno", conn_fileno, METH_NOARGS, "the socket, which is readable when the peer has hung up"},
	{"bell", conn_bell, METH_O, "bell(reader): the descriptor that is readable when the peer wakes that end"},
	{"arm", conn_arm, METH_O, "arm(reader): asks the peer to ring; False if there is no need to sleep"},
	{"disarm", conn_disarm, METH_O, "disarm(reader): takes that back, after True"},
	{"spins", conn_spins, METH_O, "spins(n): how often to look for the peer before sleeping"},
	{"__enter__", conn_enter, METH_NOARGS, NULL},
	{"__exit__", conn_exit, METH_VARARGS, NULL},
	{NULL, NULL, 0, NULL},
};

static PyTypeObject conn_type = {
	PyVarObject_HEAD_INIT(NULL, 0).tp_name = "seam_ring._ring.Conn",
	.tp_basicsize = sizeof(Conn),
	.tp_dealloc = conn_dealloc,
	.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
	.tp_doc = "Conn(fd, max_capacity=0)",
	.tp_iter = conn_self,
	.tp_iternext = conn_iternext,
	.tp_methods = conn_methods,
	.tp_getset = conn_attributes,
	.tp_init = conn_init,
	.tp_new = PyType_GenericNew,
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, .m_name = "_ring", .m_size = -1};

static PyObject *add_error(PyObject *m, const char *full, PyObject *base)
{
	PyObject *e = PyErr_NewException(full, base, NULL);
	if (e != NULL) {
		Py_INCREF(e);
		if (PyModule_AddObject(m, strrchr(full, '.') + 1, e) != 0) {
			Py_DECREF(e);
			Py_CLEAR(e);
		}
	}
	return e;
}

PyMODINIT_FUNC PyInit__ring(void)
{
	PyObject *m;
	if (PyType_Ready(&memory_type) != 0 || PyType_Ready(&conn_type) != 0 || (m = PyModule_Create(&module)) == NULL)
		return NULL;
	gone_error = add_error(m, "seam_ring.GoneError", PyExc_ConnectionError);
	corrupt_error = add_error(m, "seam_ring.CorruptError", PyExc_RuntimeError);
	mismatch_error = add_error(m, "seam_ring.MismatchError", PyExc_RuntimeError);
	forked_error = add_error(m, "seam_ring.ForkedError", PyExc_RuntimeError);
	Py_INCREF(&conn_type);
	if (gone_error == NULL || corrupt_error == NULL || mismatch_error == NULL || forked_error == NULL || PyModule_AddObject(m, "Conn", (PyObject *)&conn_type) != 0 || add_publishing(m) != 0) {
		Py_DECREF(m);
		return NULL;
	}
	return m;
}
