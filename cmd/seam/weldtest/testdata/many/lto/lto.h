int lto_square(int a);
