// Package deploy has the files with which the example is run in containers. Its test builds
// the program as the Dockerfile does, and runs it where there is nothing else.
package deploy
