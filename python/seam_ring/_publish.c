/* Publisher and Subscriber: seam/publish.h for Python. */
#include "_ring.h"

/* Signals are looked at so often, in ms. */
enum { SLICE = 200 };

static PyTypeObject *publication_type;

/* fail sets the exception for an error of the header, which says more in text where it can. */
static void *fail(int err, const char *text)
{
	PyObject *kind = PyExc_RuntimeError;
	if (text[0] == 0)
		text = seam_ring_strerror(err);
	switch (err) {
	case SEAM_RING_END:
		kind = PyExc_EOFError;
		break;
	case SEAM_RING_EAGAIN:
		kind = PyExc_TimeoutError;
		break;
	case SEAM_RING_EINVALID:
		kind = PyExc_ValueError;
		break;
	case SEAM_RING_ECLOSED:
		kind = PyExc_ValueError;
		text = "it is closed";
		break;
	case SEAM_RING_ECORRUPT:
		kind = corrupt_error;
		break;
	case SEAM_RING_EMISMATCH:
		kind = mismatch_error;
		break;
	case SEAM_RING_EFORKED:
		kind = forked_error;
		text = "it belongs to the process that this one was forked from: make another one here";
		break;
	case SEAM_RING_ESYSTEM: {
		PyObject *what = Py_BuildValue("(is)", errno, text);
		if (what != NULL)
			PyErr_SetObject(PyExc_OSError, what);
		Py_XDECREF(what);
		return NULL;
	}
	}
	PyErr_SetString(kind, text);
	return NULL;
}

/* ---- Publisher: no call but tend waits, so the GIL is held, and any thread may call. */

typedef struct {
	PyObject_HEAD
	seam_ring_publisher p;
} Publisher;

static int publisher_init(PyObject *o, PyObject *args, PyObject *kw)
{
	static char *names[] = {"path", "capacity", NULL};
	Publisher *self = (Publisher *)o;
	PyObject *path = NULL;
	unsigned long long capacity = 0;
	int err;
	if (!PyArg_ParseTupleAndKeywords(args, kw, "O&|K:Publisher", names, PyUnicode_FSConverter, &path, &capacity))
		return -1;
	if (self->p.head != NULL) {
		Py_DECREF(path);
		PyErr_SetString(PyExc_RuntimeError, "it publishes already");
		return -1;
	}
	err = seam_ring_publish(&self->p, PyBytes_AS_STRING(path), capacity);
	Py_DECREF(path);
	if (err != SEAM_RING_OK) {
		fail(err, self->p.error);
		return -1;
	}
	return 0;
}

static void publisher_dealloc(PyObject *o)
{
	/* Without close() nothing was said, and nothing is said now. */
	seam_ring_publisher_abort(&((Publisher *)o)->p);
	Py_TYPE(o)->tp_free(o);
}

static PyObject *publisher_put(PyObject *o, PyObject *arg, int publish)
{
	Publisher *self = (Publisher *)o;
	Py_buffer b;
	int err;
	if (PyObject_GetBuffer(arg, &b, PyBUF_SIMPLE) != 0)
		return NULL;
	self->p.error[0] = 0;
	err = publish ? seam_ring_publisher_send(&self->p, b.buf, (size_t)b.len) : seam_ring_publisher_append(&self->p, b.buf, (size_t)b.len);
	PyBuffer_Release(&b);
	if (err == SEAM_RING_EINVALID) {
		PyErr_Format(PyExc_ValueError, "a record of %zd bytes: it may have %zd", b.len, (Py_ssize_t)(self->p.capacity / 2 - SEAM_RING_NEWS_HEADER_));
		return NULL;
	}
	if (err != SEAM_RING_OK)
		return fail(err, self->p.error);
	Py_RETURN_NONE;
}

static PyObject *publisher_append(PyObject *o, PyObject *arg) { return publisher_put(o, arg, 0); }
static PyObject *publisher_send(PyObject *o, PyObject *arg) { return publisher_put(o, arg, 1); }

static PyObject *publisher_flush(PyObject *o, PyObject *none)
{
	Publisher *self = (Publisher *)o;
	int err;
	(void)none;
	self->p.error[0] = 0;
	if ((err = seam_ring_publisher_flush(&self->p)) != SEAM_RING_OK)
		return fail(err, self->p.error);
	Py_RETURN_NONE;
}

static PyObject *publisher_tend(PyObject *o, PyObject *args, PyObject *kw)
{
	static char *names[] = {"timeout", NULL};
	Publisher *self = (Publisher *)o;
	PyObject *timeout = NULL;
	int64_t until;
	int ms, err;
	if (!PyArg_ParseTupleAndKeywords(args, kw, "|O:tend", names, &timeout))
		return NULL;
	if (timeout == NULL)
		ms = 0;
	else if (timeout_of(timeout, &ms) != 0)
		return NULL;
	until = seam_ring_until_(ms);
	for (;;) {
		int n = self->p.subscribers, left = SLICE;
		struct pollfd listener;
		self->p.error[0] = 0;
		if ((err = seam_ring_publisher_tend(&self->p, 0)) != SEAM_RING_OK)
			return fail(err, self->p.error);
		if (until != 0 && until - seam_ring_ms_() < left)
			left = (int)(until - seam_ring_ms_());
		if (self->p.subscribers != n || left <= 0)
			Py_RETURN_NONE;
		listener.fd = self->p.listener.sock;
		listener.events = POLLIN;
		Py_BEGIN_ALLOW_THREADS
		(void)poll(&listener, 1, left); /* who goes is seen after a slice */
		Py_END_ALLOW_THREADS
		if (PyErr_CheckSignals() != 0)
			return NULL;
	}
}

static PyObject *publisher_close(PyObject *o, PyObject *none)
{
	(void)none;
	seam_ring_publisher_close(&((Publisher *)o)->p);
	Py_RETURN_NONE;
}

static PyObject *publisher_abort(PyObject *o, PyObject *none)
{
	(void)none;
	seam_ring_publisher_abort(&((Publisher *)o)->p);
	Py_RETURN_NONE;
}

static PyObject *itself(PyObject *o, PyObject *none)
{
	(void)none;
	Py_INCREF(o);
	return o;
}

static PyObject *publisher_exit(PyObject *o, PyObject *args)
{
	PyObject *kind = NULL;
	if (!PyArg_ParseTuple(args, "|OOO", &kind, &kind, &kind))
		return NULL;
	return PyTuple_GET_SIZE(args) > 0 && PyTuple_GET_ITEM(args, 0) != Py_None ? publisher_abort(o, NULL) : publisher_close(o, NULL);
}

static PyObject *publisher_subscribers(PyObject *o, void *none)
{
	(void)none;
	return PyLong_FromLong(((Publisher *)o)->p.subscribers);
}

static PyObject *publisher_number(PyObject *o, void *none)
{
	(void)none;
	return PyLong_FromUnsignedLongLong(((Publisher *)o)->p.number);
}

static PyMethodDef publisher_methods[] = {
	{"send", publisher_send, METH_O, "send(data): append and flush"},
	{"append", publisher_append, METH_O, "append(data): adds a record, which flush publishes"},
	{"flush", publisher_flush, METH_NOARGS, "publishes what was appended"},
	{"tend", WITH_NAMES(publisher_tend), "tend(timeout=0): lets subscribers in, and waits so long for one; send and flush let them in as well"},
	{"close", publisher_close, METH_NOARGS, "publishes what was appended, and says that nothing follows"},
	{"abort", publisher_abort, METH_NOARGS, "ends without that: subscribers wait for the next publisher at the path"},
	{"__enter__", itself, METH_NOARGS, NULL},
	{"__exit__", publisher_exit, METH_VARARGS, NULL},
	{NULL, NULL, 0, NULL},
};

static PyGetSetDef publisher_attributes[] = {
	{"subscribers", publisher_subscribers, NULL, "how many there are", NULL},
	{"number", publisher_number, NULL, "of the last record; the first is 1", NULL},
	{NULL, NULL, NULL, NULL, NULL},
};

static PyTypeObject publisher_type = {
	PyVarObject_HEAD_INIT(NULL, 0).tp_name = "seam_ring.Publisher",
	.tp_basicsize = sizeof(Publisher),
	.tp_dealloc = publisher_dealloc,
	.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
	.tp_doc = "Publisher(path, capacity=1 << 20): one writer of records for any number of Subscribers.\n\n"
		  "It never waits. A reader that is further behind than the capacity, in bytes, loses the oldest\n"
		  "records, and is told how many. path is that of a Unix socket, which is made, for processes\n"
		  "of this user. Who publishes seldom calls tend meanwhile, which lets subscribers in.",
	.tp_methods = publisher_methods,
	.tp_getset = publisher_attributes,
	.tp_init = publisher_init,
	.tp_new = PyType_GenericNew,
};

/* ---- Subscriber */

typedef struct {
	PyObject_HEAD
	seam_ring_subscriber s;
	PyThreadState *thread; /* that waits without the GIL */
	int busy;              /* a thread is in a call */
	int closing;           /* closed meanwhile: that thread does the rest */
} Subscriber;

/* interrupted is asked several times a second by the thread that waits. */
static int interrupted(void *data)
{
	Subscriber *self = data;
	int raised;
	PyEval_RestoreThread(self->thread);
	raised = self->closing || PyErr_CheckSignals() != 0;
	self->thread = PyEval_SaveThread();
	return raised;
}

static int subscriber_init(PyObject *o, PyObject *args, PyObject *kw)
{
	static char *names[] = {"path", "history", "life", "number", "max_capacity", "timeout", NULL};
	Subscriber *self = (Subscriber *)o;
	seam_ring_subscribe_options options;
	PyObject *path = NULL, *timeout = NULL;
	unsigned long long life = 0, number = 0, max = 0;
	int ms, err, no;
	memset(&options, 0, sizeof options);
	if (!PyArg_ParseTupleAndKeywords(args, kw, "O&|$pKKKO:Subscriber", names, PyUnicode_FSConverter, &path, &options.history, &life, &number, &max, &timeout))
		return -1;
	if (self->busy || self->s.open) {
		PyErr_SetString(PyExc_RuntimeError, "it has subscribed already");
		goto failed;
	}
	if (timeout_of(timeout, &ms) != 0)
		goto failed;
	options.life = life;
	options.number = number;
	options.max_capacity = max;
	options.cancelled = interrupted;
	options.data = self;
	self->busy = 1;
	self->thread = PyEval_SaveThread();
	err = seam_ring_subscribe(&self->s, PyBytes_AS_STRING(path), &options, ms);
	no = errno;
	PyEval_RestoreThread(self->thread);
	errno = no;
	self->busy = 0;
	if (err != SEAM_RING_OK) {
		if (!PyErr_Occurred())
			fail(err, self->s.error);
		goto failed;
	}
	Py_DECREF(path);
	return 0;
failed:
	Py_DECREF(path);
	return -1;
}

static void subscriber_dealloc(PyObject *o)
{
	seam_ring_subscriber_close(&((Subscriber *)o)->s);
	Py_TYPE(o)->tp_free(o);
}

/* next_within returns the next record, or NULL: with *err if that isn't 0, or an exception. */
static PyObject *next_within(Subscriber *self, int ms, int *err)
{
	seam_ring_publication rec;
	PyObject *result;
	int no, i;
	*err = 0;
	if (self->busy) {
		PyErr_SetString(PyExc_RuntimeError, "another thread is in a call of this Subscriber");
		return NULL;
	}
	self->s.error[0] = 0;
	self->s.o.cancelled = NULL; /* which is for who waits, without the GIL */
	*err = seam_ring_subscriber_next(&self->s, &rec, 0);
	self->s.o.cancelled = interrupted;
	if (*err == SEAM_RING_EAGAIN && ms != 0 && !PyErr_Occurred()) {
		self->busy = 1;
		self->thread = PyEval_SaveThread();
		*err = seam_ring_subscriber_next(&self->s, &rec, ms);
		no = errno;
		PyEval_RestoreThread(self->thread);
		errno = no;
		self->busy = 0;
		if (self->closing) {
			seam_ring_subscriber_close(&self->s);
			*err = SEAM_RING_ECLOSED;
		}
	}
	if (PyErr_Occurred()) {
		*err = 0;
		return NULL;
	}
	if (*err != SEAM_RING_OK)
		return NULL;
	if ((result = PyStructSequence_New(publication_type)) == NULL)
		return NULL;
	PyStructSequence_SET_ITEM(result, 0, PyBytes_FromStringAndSize(rec.data, (Py_ssize_t)rec.size));
	PyStructSequence_SET_ITEM(result, 1, PyLong_FromUnsignedLongLong(rec.number));
	PyStructSequence_SET_ITEM(result, 2, PyLong_FromUnsignedLongLong(rec.lost));
	PyStructSequence_SET_ITEM(result, 3, PyLong_FromUnsignedLongLong(rec.life));
	for (i = 0; i < 4; i++)
		if (PyStructSequence_GET_ITEM(result, i) == NULL) {
			Py_DECREF(result);
			return NULL;
		}
	return result;
}

static PyObject *subscriber_next(PyObject *o, PyObject *args, PyObject *kw)
{
	static char *names[] = {"timeout", NULL};
	Subscriber *self = (Subscriber *)o;
	PyObject *timeout = NULL, *rec;
	int ms, err;
	if (!PyArg_ParseTupleAndKeywords(args, kw, "|O:next", names, &timeout) || timeout_of(timeout, &ms) != 0)
		return NULL;
	rec = next_within(self, ms, &err);
	return err != 0 ? fail(err, self->s.error) : rec;
}

static PyObject *subscriber_iternext(PyObject *o)
{
	Subscriber *self = (Subscriber *)o;
	int err;
	PyObject *rec = next_within(self, -1, &err);
	if (err == SEAM_RING_END)
		return NULL;
	return err != 0 ? fail(err, self->s.error) : rec;
}

static PyObject *subscriber_close(PyObject *o, PyObject *none)
{
	Subscriber *self = (Subscriber *)o;
	(void)none;
	if (self->busy)
		self->closing = 1;
	else
		seam_ring_subscriber_close(&self->s);
	Py_RETURN_NONE;
}

static PyObject *subscriber_exit(PyObject *o, PyObject *args)
{
	(void)args;
	return subscriber_close(o, NULL);
}

static PyObject *subscriber_lost(PyObject *o, void *none)
{
	(void)none;
	return PyLong_FromUnsignedLongLong(seam_ring_subscriber_lost(&((Subscriber *)o)->s));
}

static PyMethodDef subscriber_methods[] = {
	{"next", WITH_NAMES(subscriber_next), "next(timeout=None): waits for a record, and returns it as a Publication"},
	{"close", subscriber_close, METH_NOARGS, "ends the subscription, and a next() of another thread within a tenth of a second"},
	{"__enter__", itself, METH_NOARGS, NULL},
	{"__exit__", subscriber_exit, METH_VARARGS, NULL},
	{NULL, NULL, 0, NULL},
};

static PyGetSetDef subscriber_attributes[] = {
	{"lost", subscriber_lost, NULL, "how many records were lost so far", NULL},
	{NULL, NULL, NULL, NULL, NULL},
};

static PyObject *subscriber_self(PyObject *o) { return itself(o, NULL); }

static PyTypeObject subscriber_type = {
	PyVarObject_HEAD_INIT(NULL, 0).tp_name = "seam_ring.Subscriber",
	.tp_basicsize = sizeof(Subscriber),
	.tp_dealloc = subscriber_dealloc,
	.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
	.tp_doc = "Subscriber(path, *, history=False, life=0, number=0, max_capacity=0, timeout=None)\n\n"
		  "Reads what the Publisher at the path publishes, and waits for one; it finds the next one when\n"
		  "that has died. It begins with what is published from now on, with history by the oldest record\n"
		  "that is kept, and with life and number after that record, the last one that an earlier\n"
		  "Subscriber has had. Iterating ends when the publisher has closed.",
	.tp_iter = subscriber_self,
	.tp_iternext = subscriber_iternext,
	.tp_methods = subscriber_methods,
	.tp_getset = subscriber_attributes,
	.tp_init = subscriber_init,
	.tp_new = PyType_GenericNew,
};

static PyStructSequence_Field publication_fields[] = {
	{"data", "the record's bytes"},
	{"number", "the record's: the first of a publisher is 1"},
	{"lost", "how many records before it were lost, since the one that came before"},
	{"life", "the publisher's, a number that another one at the path doesn't have"},
	{NULL, NULL},
};

static PyStructSequence_Desc publication_desc = {"seam_ring.Publication", "A record as a Subscriber gets it.", publication_fields, 4};

static int add(PyObject *module, const char *name, PyTypeObject *type)
{
	Py_INCREF(type);
	if (PyModule_AddObject(module, name, (PyObject *)type) == 0)
		return 0;
	Py_DECREF(type);
	return -1;
}

int add_publishing(PyObject *module)
{
	if (PyType_Ready(&publisher_type) != 0 || PyType_Ready(&subscriber_type) != 0 || (publication_type = PyStructSequence_NewType(&publication_desc)) == NULL)
		return -1;
	return add(module, "Publisher", &publisher_type) != 0 || add(module, "Subscriber", &subscriber_type) != 0 || add(module, "Publication", publication_type) != 0 ? -1 : 0;
}
