package neterr

import (
	"context"
	"errors"
	"net"
	"os"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/connreq"
	"github.com/godapl/godapl/internal/hca/soft/errno"
)

// Listen explains why the port of a service could not be opened.
func Listen(ctx context.Context, address string, service uint64, err error) error {
	const op = "listen"
	if code, ok := codeOf(err); ok {
		return hca.Wrap(code, op, address, "", err)
	}
	switch {
	case errors.Is(err, errno.InUse):
		return hca.Wrap(hca.ServiceInUse, op, address, "this process or another one has that port; choose another port, or 0 for any free one", err)
	case errors.Is(err, errno.NotAvail):
		return hca.Wrap(hca.BadAddress, op, address, "no network interface of this host has that address; an empty host is all of them", err)
	case errors.Is(err, errno.Access) && service != 0 && service < 1024:
		return hca.Wrap(hca.ServiceUnavailable, op, address, "ports below 1024 need privileges: choose another", err)
	case ctx.Err() != nil:
		return connreq.CtxError(ctx, op, address, err)
	case isBadAddress(err):
		return hca.Wrap(hca.BadAddress, op, address, "", err)
	}
	return hca.Wrap(hca.Resources, op, address, "the system refuses a listening socket: look for a limit (ulimit -n), or a filter of system calls such as a container's", err)
}

// isBadAddress distinguishes an invalid address from a system that refuses a valid one.
func isBadAddress(err error) bool {
	var dns *net.DNSError
	var address *net.AddrError
	var call *os.SyscallError
	if errors.As(err, &call) && call.Syscall == "bind" {
		return !errors.Is(err, os.ErrPermission) // an unknown scope, for instance
	}
	return errors.As(err, &dns) || errors.As(err, &address) || errors.Is(err, errno.Family)
}
