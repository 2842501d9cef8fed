/* The ring and its wake-ups, for spin. Its claim: both ends always come to their end; a
 * lost wake-up is an invalid end state. TestModel checks that, and that each of the macros
 * below, which takes one measure away, makes it fail.
 *
 *   WRITER_STORES  the writer publishes by a store, not by Swap
 *   READER_STORES  the reader gives back by a store
 *   WRITER_ARMS_BY_STORE, READER_ARMS_BY_STORE  an end says so by a store before it sleeps
 *   NO_RECHECK     an end doesn't look again after it has said that it will sleep
 *   ARMS_TOO_EARLY an end arms before the poller forgets old edges, not after
 *   WRITER_KEEPS   the writer sleeps without having published what it has written
 *   READER_KEEPS   the reader sleeps without having given back what it has read
 *
 * Stores go through a store buffer, as on amd64, and become visible at any time later. An
 * atomic operation that reads and writes (Swap, Or, And) waits for the buffer to be empty.
 * arm64's acquires and releases are stronger than this where it matters: see
 * docs/design/ring.md.
 */
#define CAPACITY 2
#define RECORDS 5

/* The shared memory, and what has been stored but is not there yet. */
#define WRITTEN 0
#define READ 1
#define WRITER_WAITS 2
#define READER_WAITS 3
byte mem[4];
chan buffer[2] = [3] of { byte, byte };
bool bell[2]; /* an edge that the poller of an end has seen */

#define WRITER 0
#define READER 1

inline store(who, at, value) { buffer[who]!at, value }
inline fence(who) { empty(buffer[who]) }
inline swap(who, at, value) { atomic { fence(who); mem[at] = value } }

proctype Memory(byte who) {
	byte at, value;
end:	do
	:: atomic { buffer[who]?at, value; mem[at] = value }
	od
}

/* After a position has been published: wake the other end if it sleeps. */
inline tell(who, flag, other) {
	if
	:: mem[flag] != 0 ->
		atomic { fence(who); was = mem[flag]; mem[flag] = 0 }
		if
		:: was != 0 -> bell[other] = true
		:: else
		fi
	:: else
	fi
	was = 0
}

inline arm(who, flag, by_store) {
	if
	:: by_store -> store(who, flag, 1)
	:: else -> swap(who, flag, 1)
	fi
}

/* Returns when the position is no longer seen. */
inline await(who, flag, position, seen, by_store) {
	do
	:: mem[position] != seen -> break
	:: else ->
#ifdef ARMS_TOO_EARLY
		arm(who, flag, by_store);
		bell[who] = false;
#else
		bell[who] = false;
		arm(who, flag, by_store);
#endif
#ifndef NO_RECHECK
		if
		:: mem[position] != seen ->
			atomic { fence(who); mem[flag] = 0 }
			break
		:: else
		fi;
#endif
		atomic { bell[who] -> bell[who] = false }
	od
}

#ifdef WRITER_STORES
#define PUBLISH store(WRITER, WRITTEN, pos)
#else
#define PUBLISH swap(WRITER, WRITTEN, pos)
#endif
#ifdef READER_STORES
#define GIVE_BACK store(READER, READ, pos)
#else
#define GIVE_BACK swap(READER, READ, pos)
#endif
#ifdef WRITER_ARMS_BY_STORE
#define WRITER_BY true
#else
#define WRITER_BY false
#endif
#ifdef READER_ARMS_BY_STORE
#define READER_BY true
#else
#define READER_BY false
#endif

proctype Writer() {
	byte pos, published, seen, was;
	do
	:: pos < RECORDS ->
		do
		:: pos - seen < CAPACITY -> break
		:: else ->
			seen = mem[READ];
			assert(seen <= published);
			if
			:: pos - seen == CAPACITY ->
#ifndef WRITER_KEEPS
				if
				:: pos != published -> PUBLISH; published = pos; tell(WRITER, READER_WAITS, READER)
				:: else
				fi;
#endif
				await(WRITER, WRITER_WAITS, READ, seen, WRITER_BY)
			:: else
			fi
		od;
		pos++;
		if /* publish now, or later with others */
		:: PUBLISH; published = pos; tell(WRITER, READER_WAITS, READER)
		:: pos < RECORDS
		fi
	:: else -> break
	od
}

proctype Reader() {
	byte pos, gave, seen, was;
	do
	:: pos < RECORDS ->
		if
		:: pos == seen ->
			seen = mem[WRITTEN];
			if
			:: pos == seen ->
#ifndef READER_KEEPS
				if
				:: pos != gave -> GIVE_BACK; gave = pos; tell(READER, WRITER_WAITS, WRITER)
				:: else
				fi;
#endif
				await(READER, READER_WAITS, WRITTEN, seen, READER_BY)
			:: else
			fi
		:: else ->
			assert(seen <= RECORDS && seen - pos <= CAPACITY);
			pos++;
			if /* give back now, or later with others */
			:: GIVE_BACK; gave = pos; tell(READER, WRITER_WAITS, WRITER)
			:: true
			fi
		fi
	:: else -> break
	od
}

init { atomic { run Memory(WRITER); run Memory(READER); run Writer(); run Reader() } }
