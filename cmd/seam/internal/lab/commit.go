package lab

import (
	"context"
	"os/exec"
	"strings"
	"time"
)

// Commit is the git commit of the working directory, with "+dirty" where a
// tracked file was changed; "" where there is no git or no commit.
func Commit(ctx context.Context) string {
	// A repository on a slow disk must not hold up the measurement.
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	hash, err := git(ctx, "rev-parse", "--short=12", "HEAD")
	if err != nil {
		return ""
	}
	changes, err := git(ctx, "status", "--porcelain", "--untracked-files=no")
	if err == nil && changes != "" {
		hash += "+dirty"
	}
	return hash
}

func git(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"--no-optional-locks"}, args...)...)
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), err
}
