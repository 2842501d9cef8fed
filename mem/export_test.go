package mem

// What is wrong in particular: tests look for that, where callers look for the sentinel.
var (
	ErrNil      error = errNil
	ErrNegative error = errNegative
	ErrLength   error = errLength
	ErrNeed     error = errNeed
	ErrSize     error = errSize
	ErrAlign    error = errAlign
	ErrOverflow error = errOverflow
	ErrRange    error = errRange
	ErrType     error = errType
	ErrChanged  error = errChanged
	ErrHandle   error = errHandle
	ErrStale    error = errStale
	ErrTooLarge error = errTooLarge
	ErrOverrun  error = errOverrun
	ErrKept     error = errKept
)
