/* What the parts of the extension share. */
#ifndef SEAM_RING_PYTHON_H
#define SEAM_RING_PYTHON_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <seam/publish.h>

#define WITH_NAMES(f) ((PyCFunction)(void (*)(void))(f)), METH_VARARGS | METH_KEYWORDS

extern PyObject *corrupt_error, *mismatch_error, *forked_error;

/* timeout_of reads a timeout in seconds, None or NULL, as ms. */
int timeout_of(PyObject *o, int *ms);

/* add_publishing adds the types of _publish.c to the module. */
int add_publishing(PyObject *module);

#endif
