package heap

import "io"

// WriteHTML is written next.
func (r *Report) WriteHTML(w io.Writer) error { return nil }
