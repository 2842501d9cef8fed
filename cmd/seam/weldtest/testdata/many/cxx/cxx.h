#ifdef __cplusplus
extern "C" {
#endif
typedef struct vector vector;
vector *vector_new(void);
void vector_push(vector *v, int i);
int vector_sum(const vector *v);
int vector_throws(int throws);
void vector_delete(vector *v);
#ifdef __cplusplus
}
#endif
