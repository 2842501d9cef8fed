const char *case_name(int i);    /* NULL: there are no more */
long case_ends(int i);           /* waits for what comes */
long case_times_out(int i);      /* for what doesn't come, or needs no wait */
