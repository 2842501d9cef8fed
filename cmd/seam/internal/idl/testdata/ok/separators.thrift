typedef i32 A, typedef i32 B; typedef i32 C const i32 D = 1, const i32 E = 2; const i32 F = 3
struct Comma { 1: i32 a, 2: i32 b, }
struct Semicolon { 1: i32 a; 2: i32 b; }
struct None { 1: i32 a 2: i32 b }
struct Mixed { 1: i32 a, 2: i32 b; 3: i32 c 4: i32 d }
struct Tight{1:i32 a,2:list<i32>b=[1,2]3:map<i32,i32>c={1:2}}
service Functions { void a(), void b(); void c() void d(1: i32 a; 2: i32 b 3: i32 c,) }
