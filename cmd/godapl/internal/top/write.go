package top

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/godapl/godapl/cmd/godapl/internal/command"
	"github.com/godapl/godapl/internal/quantity"
	"github.com/godapl/godapl/rdma/debug"
)

// write prints a snapshot with so many connections.
func write(to io.Writer, s *debug.Snapshot, rows int) {
	fmt.Fprintf(to, "%s  %d of %d endpoints\n\n", s.Time.Format(time.DateTime), min(rows, len(s.Conns)), s.Total)
	t := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "adapter\tconnections\tbroken\tregions\tregistered\toperations/s\tbytes/s")
	for _, a := range s.Adapters {
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%s\t%s\t%s\n", command.Plain(a.Name), a.Connections, a.Broken, a.Regions,
			quantity.Bytes(a.RegisteredBytes), quantity.Rate(a.OpsPerSecond), quantity.Rate(a.BytesPerSecond))
	}
	t.Flush()
	fmt.Fprintln(to)
	fmt.Fprintln(t, "endpoint\tstate\tpath\tpeer\trequests\treceives\toperations/s\tbytes/s\tp99\tidle\tnote")
	for _, c := range s.Conns[:min(rows, len(s.Conns))] {
		note := c.Note
		if c.Error != "" {
			note = c.Error
		}
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%d/%d\t%d/%d\t%s\t%s\t%s\t%v\t%s\n", c.Endpoint, command.Plain(c.State), command.Plain(c.Path), command.Plain(c.Peer),
			c.Requests, c.SendDepth, c.Receives, c.RecvDepth, quantity.Rate(c.OpsPerSecond), quantity.Rate(c.BytesPerSecond), quantity.Latency(c.P99), c.Idle.Round(time.Second), command.Plain(note))
	}
	t.Flush()
	fmt.Fprintln(to)
	if len(s.Conns) == 1 { // the operator has selected it: what was measured, and what its flight recorder has
		for _, l := range s.Conns[0].Latency {
			fmt.Fprintln(to, command.Plain(l.String()))
		}
		for _, line := range s.Conns[0].Flight {
			fmt.Fprintln(to, command.Plain(line))
		}
	}
}
