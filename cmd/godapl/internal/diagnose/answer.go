package diagnose

import (
	"context"
	"fmt"
	"net"
	"sync"

	"github.com/godapl/godapl/cmd/godapl/internal/command"
	"github.com/godapl/godapl/cmd/godapl/internal/peer"
	"github.com/godapl/godapl/internal/doctor"
)

// answer serves the doctors of other hosts, and prints what they found.
func (o *options) answer(ctx context.Context, to command.Streams) error {
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", o.serve)
	if err != nil {
		return err
	}
	fmt.Fprintf(to.Err, "doctor: waiting at %s; on the other host: godapl doctor -peer HOST\n", ln.Addr())
	look := func() *doctor.Report { return doctor.Look(doctor.Host(), doctor.Options{Device: o.device}) }
	var printing sync.Mutex
	return peer.Serve(ctx, ln, look, func(v peer.Visit) {
		printing.Lock()
		defer printing.Unlock()
		if v.Err != nil {
			fmt.Fprintf(to.Err, "doctor: %v: %v\n", v.From, v.Err)
			return
		}
		// The tests of the client with this host come last.
		v.Report.Tests = v.Tests
		for _, t := range v.Tests {
			if !t.OK {
				v.Report.Find("peer.test", t.Object, t.Detail)
			}
		}
		o.view(to.Out, v.Report)
	})
}
