/* The extension behind package seam_ring: seam/ring.h for Python. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <seam/ring.h>

#include <fcntl.h>

static PyObject *gone_error, *corrupt_error, *mismatch_error;

enum { READER, WRITER };

/* Memory is the mapping, which views of records keep alive. It lends one record of each end
 * at a time. */
typedef struct {
	PyObject_HEAD
	seam_ring_conn c;
	int open;
	void *at; /* what is lent by the next getbuffer; NULL: nothing */
	Py_ssize_t size;
	int lending; /* of which end */
	Py_ssize_t lent[2];
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
	view->internal = &m->lent[m->lending];
	++*(Py_ssize_t *)view->internal;
	return 0;
}

static void memory_release(PyObject *o, Py_buffer *view)
{
	(void)o;
	--*(Py_ssize_t *)view->internal;
}

static void memory_dealloc(PyObject *o)
{
	Memory *m = (Memory *)o;
	if (m->open)
		seam_ring_conn_close(&m->c);
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

typedef struct {
	PyObject_HEAD
	Memory *memory;    /* NULL before __init__ */
	PyObject *view[2]; /* the memoryview that each end has lent */
	int busy[2];       /* a thread is in a call of that end, without the GIL */
	size_t reserved;
} Conn;

/* fail sets the exception for an error of the header. */
static void *fail(int err)
{
	switch (err) {
	case SEAM_RING_END:
		PyErr_SetString(PyExc_EOFError, "the peer has closed");
		break;
	case SEAM_RING_EGONE:
		PyErr_SetString(gone_error, "nobody is at the other end any more");
		break;
	case SEAM_RING_EAGAIN:
		PyErr_SetString(PyExc_TimeoutError, "nothing there, or no room, within the timeout");
		break;
	case SEAM_RING_EINVALID:
		PyErr_SetString(PyExc_ValueError, "the record is larger than the ring, or than what was reserved");
		break;
	case SEAM_RING_ECORRUPT:
		PyErr_SetString(corrupt_error, "the other end broke the protocol");
		break;
	default:
		PyErr_SetFromErrno(PyExc_OSError);
	}
	return NULL;
}

/* take_back ends the use of the record that an end has lent. */
static int take_back(Conn *self, int end)
{
	PyObject *view = self->view[end], *done;
	if (view != NULL) {
		if ((done = PyObject_CallMethod(view, "release", NULL)) == NULL)
			return -1; /* an array is still made of it */
		Py_DECREF(done);
		Py_CLEAR(self->view[end]);
	}
	if (self->memory->lent[end] > 0) {
		PyErr_SetString(PyExc_BufferError, "a part of the last record is still in use: copy it, or release it first");
		return -1;
	}
	return 0;
}

/* enter begins a call of an end. */
static int enter(Conn *self, int end)
{
	if (self->memory == NULL || !self->memory->open) {
		PyErr_SetString(PyExc_ValueError, "the connection is closed");
		return -1;
	}
	if (self->busy[end]) {
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
static int timeout_of(PyObject *o, int *ms)
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
	for (;;) {
		int64_t left = timeout > 0 ? until - seam_ring_ms_() : SLICE;
		int err;
		if (left <= 0)
			return SEAM_RING_EAGAIN;
		self->busy[end] = 1;
		Py_BEGIN_ALLOW_THREADS
		err = s(self, args, left < SLICE ? (int)left : SLICE);
		Py_END_ALLOW_THREADS
		self->busy[end] = 0;
		if (err != SEAM_RING_EAGAIN)
			return err;
		if (PyErr_CheckSignals() != 0)
			return 1;
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
	(void)none;
	if (enter(self, WRITER) != 0 || take_back(self, WRITER) != 0)
		return NULL;
	seam_ring_end_of_records(&self->memory->c.writer);
	Py_RETURN_NONE;
}

static PyObject *conn_close(PyObject *o, PyObject *none)
{
	Conn *self = (Conn *)o;
	(void)none;
	if (self->memory == NULL || !self->memory->open)
		Py_RETURN_NONE;
	if (enter(self, READER) != 0 || enter(self, WRITER) != 0 || take_back(self, READER) != 0 || take_back(self, WRITER) != 0)
		return NULL;
	self->memory->open = 0;
	seam_ring_conn_close(&self->memory->c);
	Py_RETURN_NONE;
}

static PyObject *conn_fileno(PyObject *o, PyObject *none)
{
	Conn *self = (Conn *)o;
	(void)none;
	if (enter(self, READER) != 0)
		return NULL;
	return PyLong_FromLong(self->memory->c.sock);
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
	int end;
	seam_ring_end *e = end_of((Conn *)o, arg, &end);
	return e == NULL ? NULL : PyLong_FromLong(seam_ring_fd(e));
}

static PyObject *conn_arm(PyObject *o, PyObject *arg)
{
	Conn *self = (Conn *)o;
	int end;
	if (end_of(self, arg, &end) == NULL || take_back(self, end) != 0)
		return NULL;
	return PyBool_FromLong(end == READER ? seam_ring_arm_reader(&self->memory->c.reader) : seam_ring_arm_writer(&self->memory->c.writer));
}

static PyObject *conn_disarm(PyObject *o, PyObject *arg)
{
	int end;
	seam_ring_end *e;
	if (((Conn *)o)->memory == NULL || !((Conn *)o)->memory->open)
		Py_RETURN_NONE; /* closed while it slept */
	if ((e = end_of((Conn *)o, arg, &end)) == NULL)
		return NULL;
	seam_ring_disarm(e);
	Py_RETURN_NONE;
}

static PyObject *conn_heard(PyObject *o, PyObject *none)
{
	Conn *self = (Conn *)o;
	seam_ring_conn *c;
	int heard;
	(void)none;
	if (enter(self, READER) != 0)
		return NULL;
	c = &self->memory->c;
	heard = c->reader.e.heard || c->writer.e.heard;
	c->reader.e.heard = c->writer.e.heard = 0;
	return PyBool_FromLong(heard);
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
	if (enter(self, WRITER) != 0)
		return NULL;
	return PyBool_FromLong(self->memory->c.writer.e.drops);
}

static PyObject *conn_dropped(PyObject *o, void *none)
{
	Conn *self = (Conn *)o;
	(void)none;
	if (enter(self, READER) != 0 || enter(self, WRITER) != 0)
		return NULL;
	return Py_BuildValue("KK", (unsigned long long)__atomic_load_n(&self->memory->c.writer.e.mine->dropped, __ATOMIC_RELAXED),
		(unsigned long long)__atomic_load_n(&self->memory->c.reader.e.theirs->dropped, __ATOMIC_RELAXED));
}

static PyGetSetDef conn_attributes[] = {
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
	(void)args;
	return conn_close(o, NULL);
}

static PyObject *conn_self(PyObject *o)
{
	Py_INCREF(o);
	return o;
}

static int conn_init(PyObject *o, PyObject *args, PyObject *kw)
{
	static char *names[] = {"fd", "serve", "capacity", "max_capacity", "drop_oldest", "untrusted", "timeout", NULL};
	Conn *self = (Conn *)o;
	Memory *m;
	seam_ring_options options;
	unsigned long long capacity = 0, max = 0;
	PyObject *timeout = NULL;
	int fd, err, flags, serve = 0;
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
	if ((m = PyObject_New(Memory, &memory_type)) == NULL)
		return -1;
	m->open = 0;
	m->at = NULL;
	m->lent[READER] = m->lent[WRITER] = 0;
	/* A socket with a timeout is one that doesn't block. */
	if ((flags = fcntl(fd, F_GETFL)) >= 0 && (flags & O_NONBLOCK))
		fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
	Py_BEGIN_ALLOW_THREADS
	err = serve ? seam_ring_serve(&m->c, fd, &options) : seam_ring_connect(&m->c, fd, &options);
	Py_END_ALLOW_THREADS
	if (err != SEAM_RING_OK) {
		PyObject *kind = err == SEAM_RING_EMISMATCH ? mismatch_error
			: err == SEAM_RING_EGONE ? gone_error
			: err == SEAM_RING_EAGAIN ? PyExc_TimeoutError
			: err == SEAM_RING_EINVALID ? PyExc_ValueError : PyExc_OSError;
		PyErr_SetString(kind, m->c.error);
		Py_DECREF(m);
		return -1;
	}
	m->open = 1;
	self->memory = m;
	return 0;
}

static void conn_dealloc(PyObject *o)
{
	Conn *self = (Conn *)o;
	PyTypeObject *type = Py_TYPE(o);
	/* Views that others have keep the memory, and so the connection. */
	Py_XDECREF(self->view[READER]);
	Py_XDECREF(self->view[WRITER]);
	Py_XDECREF(self->memory);
	type->tp_free(o);
}

#define WITH_NAMES(f) ((PyCFunction)(void (*)(void))(f)), METH_VARARGS | METH_KEYWORDS

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
	{"close", conn_close, METH_NOARGS, "hangs up; no record may be in use"},
	{"fileno", conn_fileno, METH_NOARGS, "the socket, which is readable when the peer has hung up"},
	{"bell", conn_bell, METH_O, "bell(reader): the descriptor that is readable when the peer wakes that end"},
	{"arm", conn_arm, METH_O, "arm(reader): asks the peer to ring; False if there is no need to sleep"},
	{"disarm", conn_disarm, METH_O, "disarm(reader): takes that back"},
	{"heard", conn_heard, METH_NOARGS, "whether bytes were taken from the socket, which may be for the other end"},
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
	Py_INCREF(&conn_type);
	if (gone_error == NULL || corrupt_error == NULL || mismatch_error == NULL || PyModule_AddObject(m, "Conn", (PyObject *)&conn_type) != 0) {
		Py_DECREF(m);
		return NULL;
	}
	return m;
}
