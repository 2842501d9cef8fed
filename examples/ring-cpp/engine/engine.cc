// The engine: answers each question with its letters in upper case. "crash" makes it
// crash, and "hang" makes it hang.
#include <seam/ring.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string>
#include <string_view>

static std::string answer(std::string_view question) {
	if (question == "crash")
		abort();
	if (question == "hang")
		for (;;)
			pause();
	std::string s(question);
	std::transform(s.begin(), s.end(), s.begin(), [](unsigned char c) { return std::toupper(c); });
	return s;
}

int main() {
	seam_ring_conn conn;
	if (seam_ring_connect(&conn, 3, nullptr) != SEAM_RING_OK) { // the socket, from whoever started us
		fprintf(stderr, "engine: %s\n", conn.error);
		return 1;
	}
	const void *p;
	size_t n;
	while (seam_ring_next(&conn.reader, &p, &n, -1) == SEAM_RING_OK) {
		std::string s = answer({static_cast<const char *>(p), n});
		if (seam_ring_send(&conn.writer, s.data(), s.size(), -1) != SEAM_RING_OK)
			break;
	}
	seam_ring_conn_close(&conn); // the service has hung up, or has died
}
