package contest

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Contender is a way to make calls.
type Contender struct {
	Name string
	// Against is the name of the contender that this one is compared with: the usual means for the
	// same path.
	Against string
	// Inside says that the server is in the clients' process. Otherwise it has its own.
	Inside bool
	// Serve starts a server for requests of that many bytes, and returns when clients can connect.
	// stop ends it.
	Serve func(ctx context.Context, size int) (address string, stop func(), err error)
	// Dial connects clients to the server at the address. Each has a connection of its own and at
	// most depth calls under way. stop disconnects them.
	Dial func(ctx context.Context, address string, s Setting) (clients []Client, stop func(), err error)
}

// Setting is what is measured.
type Setting struct {
	Clients int
	Depth   int // calls that a client has under way
	Size    int // bytes of a request, and of its answer
}

// Client makes calls, as many at a time as there are lanes, until the lanes have no more.
type Client func(ctx context.Context, lanes []*Lane) error

// Contenders are those of this package.
func Contenders() []Contender {
	return []Contender{
		overMailbox("mailbox-shm", "soft-shm", "unix"),
		overSocket("unix", "unix"),
		overMailbox("mailbox-tcp", "soft-tcp", "net"),
		overSocket("net", "tcp"),
		overMailbox("mailbox-loop", "soft-loop", "channel"),
		overChannel(),
	}
}

// namesOf is a list of the contenders' names.
func namesOf(all []Contender) string {
	var names []string
	for _, c := range all {
		names = append(names, c.Name)
	}
	return strings.Join(names, ", ")
}

// onDevice is what the name of a contender of an RDMA device begins with; the device's follows.
const onDevice = "mailbox-"

// choose finds contenders by their names, a comma between two. Mailboxes over an RDMA device are not in all.
func choose(all []Contender, names string) ([]Contender, error) {
	if names == "" {
		return all, nil
	}
	var chosen []Contender
	for name := range strings.SplitSeq(names, ",") {
		i := slices.IndexFunc(all, func(c Contender) bool { return c.Name == name })
		device, found := strings.CutPrefix(name, onDevice)
		switch {
		case i >= 0:
			chosen = append(chosen, all[i])
		case found && device != "":
			chosen = append(chosen, overMailbox(name, device, "net"))
		default:
			return nil, fmt.Errorf("no contender %q: there are %s", name, namesOf(all))
		}
	}
	return chosen, nil
}
