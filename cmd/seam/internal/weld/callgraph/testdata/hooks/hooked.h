typedef struct db db;

db *open_db(void);
void on_change(db *d, void (*f)(void *, int), void *arg);
void compare_by_go(db *d);
void insert(db *d, int n);
void drop_arg(db *d);
int less(db *d, void *a, void *b);
int entry(int i, int n);
int plain(int n);
int choice(int n);
void deep(db *d);
