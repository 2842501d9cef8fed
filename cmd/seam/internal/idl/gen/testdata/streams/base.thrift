namespace * base

struct Line { 1: string text, 2: i32 n = 7 }

service Base {
  Line chat(1: Line line) (streaming.mode = "bidirectional")
  i32 count()
}
