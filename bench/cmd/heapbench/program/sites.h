void bare(long pairs);
void small_site(long bytes);
void middle_site(long bytes);
void large_site(long bytes);
void freed_site(long bytes);
void answer(long n);
