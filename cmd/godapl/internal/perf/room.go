package perf

import "fmt"

// The most that one side takes. The other side of -serve chooses the settings, and may be anybody.
const (
	mostCount    = 1 << 20
	mostMemory   = 16 << 30
	mostCommands = 64 << 20 // bytes of settings and commands in JSON
)

// mostAnswers is the bytes of the answers to them, which are of anybody, too. Tests have less.
var mostAnswers = int64(mostCommands)

// checkRoom refuses what would need too much memory, before sizes are computed, which could overflow.
func (c *config) checkRoom() error {
	for _, f := range []struct {
		flag string
		n    int
	}{{"depth", c.Depth}, {"endpoints", c.Endpoints}, {"connections", c.Connections}} {
		if f.n > mostCount {
			return fmt.Errorf("-%s %d: %d at most", f.flag, f.n, mostCount)
		}
	}
	if int64(c.Size) > mostMemory {
		return fmt.Errorf("-size %d: %d at most", c.Size, int64(mostMemory))
	}
	// The server of calls has a place for each request, and one for its answer.
	places := max(float64(c.Depth), 2*float64(c.Connections)*float64(c.Depth))
	if c.Op == "send" && c.Connections == 0 {
		places = max(places, float64(c.Endpoints)*float64(c.recvs()))
	}
	if need := places * float64(c.stride()); need > mostMemory {
		return fmt.Errorf("these sizes and numbers need %.3g GiB in one region of memory: %d GiB at most", need/(1<<30), mostMemory>>30)
	}
	return nil
}

// checkTheirs is check for settings from another host, without what concerns that host alone.
func (c *config) checkTheirs() error {
	c.Vs, c.Load, c.CPUs = "", 0, 0
	credits := c.Credits
	err := c.check()
	c.Credits = credits
	return err
}
