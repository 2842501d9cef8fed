int nap(int ms);
int twice(int n);
int through_go(int depth);
void leave_by(int how);
void meet(void);
void gather(int n);
int fails(int n);
int inside(void);
int most(void);
