double beta_scale(double x, double by);
