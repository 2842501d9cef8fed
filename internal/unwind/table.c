//go:build cgo && linux && (amd64 || arm64)

// Rows from .eh_frame, by what cfi.h says of its records.
#include "sort.h"

#ifdef SEAM_UNWIND
#include <string.h>

// Reads one FDE. ci is the CIE that was read last.
static int read_fde(csys_fde *f, csys_cursor c, csys_cie *ci, seam_bytes frame, uintptr_t data) {
	const uint8_t *id = c.p;
	uint64_t back = csys_fixed(&c, 4);
	if (c.failed || back == 0 || back > (uint64_t)(id - frame.at))
		return 0;
	if (ci->at != id - back)
		csys_read_cie(ci, id - back, frame, data);
	return csys_read_fde(f, c, ci, frame, data);
}

static int before(const csys_fde *a, const csys_fde *b) { return a->low < b->low; }

SEAM_SORT(sort, csys_fde, before)

static size_t functions(seam_bytes frame, uintptr_t low, uintptr_t high, uintptr_t data, csys_fde *list) {
	csys_cursor all = {frame.at, frame.at + frame.size, 0}, c;
	csys_cie ci = {0};
	size_t n = 0;
	while (csys_record(&all, &c)) {
		csys_fde f;
		if (read_fde(&f, c, &ci, frame, data) && f.low >= low && f.high <= high) {
			if (list)
				list[n] = f;
			n++;
		}
	}
	return n;
}

static void rows_of(const csys_fde *list, size_t n, seam_bytes frame, uintptr_t data, csys_sink *out) {
	csys_cie ci = {0};
	uintptr_t end = out->low;
	const csys_state none = {SEAM_NO_TABLE, 0, SEAM_LOST, SEAM_LOST}, unknown = {SEAM_UNKNOWN, 0, SEAM_LOST, SEAM_LOST};
	csys_emit(out, out->low, none);
	for (size_t i = 0; i < n; i++) {
		const csys_fde *f = &list[i];
		if (f->low < end)
			continue; // overlaps: the first has it
		if (f->low > end)
			csys_emit(out, end, none);
		if (ci.at != f->cie)
			csys_read_cie(&ci, f->cie, frame, data);
		csys_state st = ci.initial;
		size_t before = out->count;
		seam_row last = out->last;
		if (!csys_run((csys_cursor){f->instructions, f->end, 0}, &ci, &st, out, f->low, f->high, frame, data)) {
			out->count = before; // not half of it
			out->last = last;
			csys_emit(out, f->low, unknown);
		}
		end = f->high;
	}
	csys_emit(out, end, none);
}

long seam_table(seam_bytes frame, uintptr_t low, uintptr_t high, uintptr_t data, seam_row **rows, size_t *room) {
	*rows = NULL;
	*room = 0;
	if (high <= low || high - low > UINT32_MAX)
		return 0;
	size_t n = functions(frame, low, high, data, NULL);
	if (n == 0)
		return 0;
	size_t list_room = n * sizeof(csys_fde);
	csys_fde *list = seam_pages(list_room);
	if (!list)
		return -1;
	functions(frame, low, high, data, list);
	sort(list, n);
	csys_sink out = {.low = low};
	rows_of(list, n, frame, data, &out);
	*room = out.count * sizeof(seam_row);
	out.rows = *rows = seam_pages(*room);
	if (*rows) {
		out.room = out.count;
		out.count = 0;
		rows_of(list, n, frame, data, &out);
	}
	seam_free_pages(list, list_room);
	return *rows ? (long)out.count : -1;
}
#endif
