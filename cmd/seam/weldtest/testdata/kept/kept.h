void computes(void);
void spins(void);
void visits(void);
void release(void);
