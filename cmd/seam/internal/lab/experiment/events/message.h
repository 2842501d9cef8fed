/* What goes over a connection: 64 bytes that begin with a number, and back the
 * same with the number plus one. */
#ifndef SEAM_LAB_EVENTS_MESSAGE_H
#define SEAM_LAB_EVENTS_MESSAGE_H

#include <stdint.h>

struct seam_events_message {
	uint64_t number;
	char rest[56];
};
#endif
