// Shapes of messages that programs send: many strings, many bytes, lists of small
// structs, maps of numbers, structs of which most is absent, and structs in structs.

namespace go PEER

// A line of a log: nothing but strings.
struct LogEvent {
  1: string time
  2: string level
  3: string logger
  4: string message
  5: string host
  6: string zone
  7: string service
  8: string version
  9: string commit
  10: string instance
  11: string trace
  12: string span
  13: string parent
  14: string user
  15: string session
  16: string tenant
  17: string address
  18: string forwarded
  19: string verb
  20: string path
  21: string route
  22: string query
  23: string status
  24: string size
  25: string duration
  26: string agent
  27: string referrer
  28: string language
  29: string encoding
  30: string thread
}

struct Blob {
  1: string name
  2: i64 offset
  3: binary data
}

struct Point {
  1: double x
  2: double y
  3: i64 time
}

struct Track {
  1: string name
  2: list<Point> points
}

struct Tracks {
  1: list<Track> tracks
}

struct Counters {
  1: map<i64, i64> visits
  2: map<i32, i64> codes
  3: map<i32, double> rates
}

// The history of a workflow: each event has one of many kinds of details.
enum EventKind {
  STARTED, COMPLETED, FAILED, TASK_SCHEDULED, TASK_STARTED, TASK_COMPLETED, TASK_FAILED, ACTIVITY_SCHEDULED,
  ACTIVITY_STARTED, ACTIVITY_COMPLETED, ACTIVITY_FAILED, TIMER_STARTED, TIMER_FIRED, SIGNALED
}

struct Named {
  1: optional string name
}

struct Retry {
  1: optional i32 initial
  2: optional double factor
  3: optional i32 most
  4: optional i32 attempts
}

struct Started {
  1: optional Named type
  2: optional Named queue
  3: optional binary input
  4: optional i32 patience
  5: optional i32 task_patience
  6: optional string run
  7: optional string identity
  8: optional Retry retry
  9: optional string schedule
  10: optional map<string, binary> memo
}

struct TaskScheduled {
  1: optional Named queue
  2: optional i32 patience
  3: optional i64 attempt
}

struct TaskStarted {
  1: optional i64 scheduled
  2: optional string identity
  3: optional string request
}

struct TaskCompleted {
  1: optional binary context
  2: optional i64 scheduled
  3: optional i64 started
  4: optional string identity
  5: optional string checksum
}

struct ActivityScheduled {
  1: optional string activity
  2: optional Named type
  3: optional string domain
  4: optional Named queue
  5: optional binary input
  6: optional i32 queue_patience
  7: optional i32 run_patience
  8: optional i32 heartbeat
  9: optional i64 completed
  10: optional Retry retry
}

struct ActivityStarted {
  1: optional i64 scheduled
  2: optional string identity
  3: optional string request
  4: optional i32 attempt
  5: optional string failure
}

struct ActivityCompleted {
  1: optional binary answer
  2: optional i64 scheduled
  3: optional i64 started
  4: optional string identity
}

struct Timer {
  1: optional string timer
  2: optional i64 seconds
  3: optional i64 completed
}

struct Signal {
  1: optional string name
  2: optional binary input
  3: optional string identity
}

struct HistoryEvent {
  10: optional i64 id
  20: optional i64 time
  30: optional EventKind kind
  35: optional i64 version
  36: optional i64 task
  40: optional Started started
  50: optional ActivityCompleted completed
  60: optional ActivityCompleted failed
  70: optional ActivityCompleted timed_out
  80: optional TaskScheduled task_scheduled
  90: optional TaskStarted task_started
  100: optional TaskCompleted task_completed
  110: optional TaskCompleted task_timed_out
  120: optional TaskCompleted task_failed
  130: optional ActivityScheduled activity_scheduled
  140: optional ActivityStarted activity_started
  150: optional ActivityCompleted activity_completed
  160: optional ActivityCompleted activity_failed
  170: optional ActivityCompleted activity_timed_out
  180: optional Timer timer_started
  190: optional Timer timer_fired
  200: optional Timer timer_canceled
  210: optional Signal signaled
  220: optional Signal marker
  230: optional Signal canceled
  240: optional Started child_initiated
  250: optional Started child_started
  260: optional ActivityCompleted child_completed
  270: optional ActivityCompleted child_failed
  280: optional ActivityCompleted child_canceled
  290: optional ActivityCompleted child_timed_out
  300: optional Signal signal_external
  310: optional Signal external_signaled
  320: optional Signal attributes
}

struct History {
  1: optional list<HistoryEvent> events
}

// A table of a data warehouse, with its partitions.
struct Column {
  1: string name
  2: string type
  3: string comment
}

struct Serializer {
  1: string name
  2: string library
  3: map<string, string> parameters
}

struct Sorting {
  1: string column
  2: i32 order
}

struct Storage {
  1: list<Column> columns
  2: string location
  3: string input
  4: string output
  5: bool compressed
  6: i32 buckets
  7: Serializer serializer
  8: list<string> bucket_columns
  9: list<Sorting> sorting
  10: map<string, string> parameters
  11: optional bool folders
}

struct Partition {
  1: list<string> values
  2: string base
  3: string table
  4: i32 created
  5: i32 used
  6: Storage storage
  7: map<string, string> parameters
}

struct Table {
  1: string name
  2: string base
  3: string owner
  4: i32 created
  5: Storage storage
  6: list<Column> keys
  7: map<string, string> parameters
  8: string kind
  9: list<Partition> partitions
}
