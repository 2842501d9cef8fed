package beta

// Extra is set in a build with the tag extra.
var Extra func(int) int
