namespace go health

/** How a service is, with the numbers of Facebook's base service. */
enum Status {
  DEAD = 0
  STARTING = 1
  ALIVE = 2
  STOPPING = 3
  STOPPED = 4
  WARNING = 5
}

/** What fb303's service is asked by those that look whether it is well. */
service Health {
  Status getStatus()
}
