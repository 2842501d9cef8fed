#ifdef __cplusplus
extern "C" {
#endif
void plain(void), zero(void), chain(void), aligned(void), other_threads(void), cxx(void), cxx_map(int), strings(void), mappings(void), in_child(void), churn(void), sampled(void);
void forgotten(int);
void loaded(const char *);
#ifdef __cplusplus
}
#endif
