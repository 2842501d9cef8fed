/* The C side: simdjson, which leaves a table of events in an arena of Go's. */
#include <seam/mem.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What becomes of a document. The strings and tables are parts of the arena. */
typedef struct {
	seam_part sku;
	double price;
	int64_t quantity;
} events_item;

typedef struct {
	int64_t id;
	seam_part type;
	seam_part name, country; /* of the user */
	seam_part items;         /* of events_item */
} events_event;

/* What is wrong: simdjson's own error codes, which are below 1000, and ours. */
enum {
	EVENTS_STRING = 5, /* simdjson's */
	EVENTS_NUMBER = 9,
	EVENTS_UTF8 = 10, /* from here on: those that it knows no place of */
	EVENTS_UNESCAPED = 13,
	EVENTS_UNCLOSED = 14,
	EVENTS_INCOMPLETE = 27,

	EVENTS_DUPLICATE = 1000, /* ours: a field that is there twice */
	EVENTS_INTEGER,          /* a number where an integer of 64 bits is wanted */
	EVENTS_DEEP,             /* arrays and objects within each other: more than EVENTS_MAX_DEPTH */
	EVENTS_ROOM              /* the arena is too small: call again */
};

#define EVENTS_MAX_DEPTH 64

/* simdjson reads up to so many bytes behind the end of a document. What they are does
 * not matter, if they can be read. */
#define EVENTS_PADDING 64

typedef struct {
	seam_part events; /* of events_event */
	int64_t at;       /* where it went wrong, in bytes; -1: the document as a whole */
	int32_t code;     /* 0: nothing did */
} events_out;

typedef struct {
	void *parser;
	seam_str doc;
	size_t room; /* bytes that can be read at doc.data */
	seam_arena *arena;
	events_out out;
} events_args;

/* events_new: ready is how long a document may be without making the parser allocate. NULL
 * without memory. */
void *events_new(size_t ready);
void events_free(void *parser);

/* A leaf function when the document is small. Nothing of the arguments is kept. */
void events_parse(events_args *args);

/* The same for cgo, whose rules want a pointer to Go memory as an argument of its own and
 * not in a struct of Go's. */
void events_parse_long(void *parser, const char *data, size_t len, size_t room, seam_arena *arena, events_out *out);

const char *events_error(int32_t code);

#ifdef __cplusplus
}
#endif
