

// Nothing but comments.


/* Without a line end. */