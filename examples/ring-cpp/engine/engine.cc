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
	seam::ring_conn conn;
	if (conn.connect(3) != SEAM_RING_OK) { // the socket, from our parent
		fprintf(stderr, "engine: %s\n", conn.c.error);
		return 1;
	}
	const void *p;
	size_t n;
	int err;
	while ((err = seam_ring_next(&conn.c.reader, &p, &n, -1)) == SEAM_RING_OK) {
		std::string s = answer({static_cast<const char *>(p), n});
		if ((err = seam_ring_send(&conn.c.writer, s.data(), s.size(), -1)) != SEAM_RING_OK)
			break;
	}
	if (err != SEAM_RING_END) {
		fprintf(stderr, "engine: %s\n", seam_ring_strerror(err)); // the service has died, say
		return 1;
	}
	conn.close(); // all answers were given
}
