struct echo { int fd, n, result; };
int echo(int fd, int n);
void *echo_entry(void);
