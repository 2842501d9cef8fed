#ifdef __cplusplus
extern "C" {
#endif
int shop_length(char *name);
void shop_take(char *name);
void shop_keep(char *name);
int shop_find(const char *name, int *at);
void shop_wait(void);
void shop_each(int n);
int shop_safe(char *name);
void shop_list(char *name);
void shop_label(char *name);
void shop_later(char *name);
void shop_own(char *name);
int shop_only(char *name);
#ifdef __cplusplus
}
#endif
