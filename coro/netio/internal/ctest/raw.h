#ifndef SEAM_NETIO_TEST_RAW_H
#define SEAM_NETIO_TEST_RAW_H
#include "op.h"
void seam_netio_test_raw(struct seam_test_op *op);
#endif
