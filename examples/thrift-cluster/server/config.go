package server

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/seamgo/seam/examples/thrift-cluster/place"
)

// A Config says how a server runs.
type Config struct {
	Place   place.Place   // place: where the service runs
	Listen  string        // listen: the address of a server of a cluster
	Weight  int           // weight: its share of the load
	Journal string        // journal: the file of its orders
	Admin   string        // admin: the address of /readyz, /metrics and the like; "": none
	Grace   time.Duration // grace: how long it serves on when it has left the registry
}

// ReadConfig reads a file with lines of key = value, and the environment, which comes
// first: ORDERS_PLACE, ORDERS_LISTEN and so on. Without a file only the environment counts.
func ReadConfig(file string) (Config, error) {
	c := Config{Journal: "orders.journal"}
	var err error
	if c.Place, err = place.Parse("tcp:localhost:9090"); err != nil {
		return c, err
	}
	if file != "" {
		if err := c.readFile(file); err != nil {
			return c, err
		}
	}
	for _, key := range []string{"place", "listen", "weight", "journal", "admin", "grace"} {
		name := "ORDERS_" + strings.ToUpper(key)
		if value, ok := os.LookupEnv(name); ok {
			if err := c.set(key, value); err != nil {
				return c, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return c, nil
}

func (c *Config) readFile(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		line, _, _ := strings.Cut(lines.Text(), "#")
		if strings.TrimSpace(line) == "" {
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if !ok {
			return fmt.Errorf("%s:%d: want key = value", file, n)
		}
		if err := c.set(strings.TrimSpace(key), strings.TrimSpace(value)); err != nil {
			return fmt.Errorf("%s:%d: %w", file, n, err)
		}
	}
	return lines.Err()
}

func (c *Config) set(key, value string) (err error) {
	switch key {
	case "place":
		c.Place, err = place.Parse(value)
	case "listen":
		c.Listen = value
	case "weight":
		if c.Weight, err = strconv.Atoi(value); err == nil && c.Weight < 1 {
			err = fmt.Errorf("weight is %d, want 1 or more", c.Weight)
		}
	case "journal":
		c.Journal = value
	case "admin":
		c.Admin = value
	case "grace":
		if c.Grace, err = time.ParseDuration(value); err == nil && c.Grace < 0 {
			err = fmt.Errorf("grace is %v, want 0 or more", c.Grace)
		}
	default:
		err = fmt.Errorf("no setting is called %q", key)
	}
	return err
}
