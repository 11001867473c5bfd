package perf

import (
	"errors"
	"fmt"
)

// checkCalls refuses flags that calls cannot be measured with, and sets the default of -loops.
func (c *config) checkCalls() error {
	if c.Connections == 0 {
		if c.Loops != 0 {
			return errors.New("-loops goes with -connections")
		}
		return nil
	}
	switch {
	case c.Connections < 0 || c.Loops < 0 || c.Loops > c.Connections:
		return errors.New("-connections must be more than 0, and -loops from 1 to -connections")
	case c.blocks():
		return errors.New("-mode conn has no shared receive queue: leave -connections out")
	case c.Op != "send":
		return errors.New("-connections measures calls, which are messages: -op send")
	case c.API != "native" || c.Only != "" || c.Endpoints > 1 || c.Places != c.Depth || c.Slices:
		return errors.New("-connections goes without -api, -only, -endpoints, -places and -slices")
	case c.Vs != "" && c.Vs != "net" && c.Vs != "unix":
		return fmt.Errorf("-vs %s compares one connection: with -connections there are net and unix", c.Vs)
	}
	if c.Loops == 0 {
		c.Loops = c.Connections
		if c.Mode == "poll" {
			c.Loops = 1 // one goroutine that polls needs a processor
		}
	}
	return nil
}
