#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif
void answers(long want);
void insert(long want);
void requests(long want);
void look_up(long done, long room);
void workers(long want);
void forgotten_threads(long want);
void mappings(long want);
void store(char *name, long want);
#ifdef __cplusplus
}
#endif
