package reference

// ErrorsInPlace is how much slower generated decoders became, as a ratio, when each
// error was wrapped where it is returned.
var ErrorsInPlace = Figure{ErrorPaths, "", 1.10, "×"}
