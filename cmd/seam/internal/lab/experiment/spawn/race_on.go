//go:build race

package spawn

// raceDetector says whether this is a build with -race.
const raceDetector = true
