/*
 * The run-time of a traced program: what it does. Every traced package holds a
 * copy in its _cgo_export.c; weak symbols make the linker keep one.
 *
 * The record is a file that the process maps, so that nothing is lost however
 * the process ends. recordlayout.go of package calltrace has its layout. Its parts are written by
 * one thread each wherever that can be: threads own slots, and a slot has a
 * shard of counters for every function it called. Threads beyond SEAM_SLOTS
 * share the last slot, with atomic operations.
 */
#pragma GCC system_header

#ifndef SEAM_TRACE_IMPL_H
#define SEAM_TRACE_IMPL_H

#include "seam_record.h"
#include "seam_trace_process.h"
#include "seam_trace_file.h"
#include "seam_trace_calls.h"
#include "seam_trace_cost.h"
#include "seam_trace_go.h"

#endif
