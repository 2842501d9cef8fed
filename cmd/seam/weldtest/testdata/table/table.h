const char *case_name(int i);
long case_ends(int i);
long case_times_out(int i);
