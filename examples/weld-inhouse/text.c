#include "text.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <unistd.h>

uint64_t text_hash(text_view v) {
	uint64_t h = 14695981039346656037u;
	for (size_t i = 0; i < v.length; i++) {
		h = (h ^ (unsigned char)v.at[i]) * 1099511628211u;
	}
	return h;
}

text_span text_field(text_view line, int n) {
	size_t start = 0;
	for (size_t i = 0; i <= line.length; i++) {
		if (i < line.length && line.at[i] != '\t') {
			continue;
		}
		if (n-- == 0) {
			return (text_span){(int64_t)start, (int64_t)(i - start)};
		}
		start = i + 1;
	}
	return (text_span){0, -1};
}

int64_t text_number(text_view v) {
	size_t i = 0;
	int negative = v.length > 0 && v.at[0] == '-';
	i += (size_t)negative;
	if (i == v.length) {
		errno = EINVAL;
		return 0;
	}
	int64_t n = 0;
	for (; i < v.length; i++) {
		int digit = v.at[i] - '0';
		if (digit < 0 || digit > 9) {
			errno = EINVAL;
			return 0;
		}
		// Below zero, where there is one number more.
		if (n < (INT64_MIN + digit) / 10) {
			errno = ERANGE;
			return negative ? INT64_MIN : INT64_MAX;
		}
		n = n * 10 - digit;
	}
	if (!negative && n == INT64_MIN) {
		errno = ERANGE;
		return INT64_MAX;
	}
	return negative ? n : -n;
}

int text_widest(int count, ...) {
	va_list all;
	va_start(all, count);
	int widest = INT_MIN;
	for (int i = 0; i < count; i++) {
		int n = va_arg(all, int);
		widest = n > widest ? n : widest;
	}
	va_end(all);
	return widest;
}

void text_upper(text_view v, char *out) {
	for (size_t i = 0; i < v.length; i++) {
		char c = v.at[i];
		out[i] = c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
	}
}

int text_each(text_view line, text_visit *visit, void *user) {
	for (int n = 0;; n++) {
		text_span s = text_field(line, n);
		if (s.length < 0) {
			return n;
		}
		if (!visit(user, s)) {
			return n + 1;
		}
	}
}

void text_settle(unsigned microseconds) { usleep(microseconds); }
