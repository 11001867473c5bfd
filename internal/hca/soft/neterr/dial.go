package neterr

import (
	"errors"
	"net"
	"os"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/soft/errno"
	"github.com/godapl/godapl/internal/hca/soft/hostport"
)

// Dial explains why no stream to an address could be opened.
func Dial(address string, err error) error {
	const op = "connect"
	var dns *net.DNSError
	var form *net.AddrError
	if code, ok := codeOf(err); ok {
		return hca.Wrap(code, op, address, "", err)
	}
	switch {
	case errors.Is(err, errno.Refused):
		return hca.Wrap(hca.Refused, op, address, nobody(address), err)
	case errors.Is(err, errno.Reset):
		return hca.Wrap(hca.Refused, op, address, "the stream was reset while it was being made: the listener is closing, or something on the way resets it", err)
	case errors.As(err, &dns) && dns.IsNotFound:
		return hca.Wrap(hca.BadAddress, op, address, "no host has that name", err)
	case errors.Is(err, errno.NotAvail) && portsTaken(err):
		return hca.Wrap(hca.Resources, op, address, "all ports of this host towards it are in use: close connections, or see net.ipv4.ip_local_port_range", err)
	case errors.Is(err, errno.NotAvail):
		return hca.Wrap(hca.BadAddress, op, address, "this host has no address of that family, or all its ports are in use", err)
	case errors.As(err, &dns), errors.As(err, &form), errors.Is(err, errno.Family):
		return hca.Wrap(hca.BadAddress, op, address, "", err)
	case errno.NoDescriptors(err):
		return hca.Wrap(hca.Resources, op, address, "", err)
	case denied(err):
		return hca.Wrap(hca.Resources, op, address, "the system refuses what a connection needs: look for a filter of system calls, such as a container's", err)
	}
	return hca.Wrap(hca.Unreachable, op, address, "", err)
}

// nobody says that nobody listens. A service above the ports is more often a mistake than one of uDAPL.
func nobody(address string) string {
	const mostPort = 1<<16 - 1
	if _, service, err := hostport.Split("connect", address); err == nil && service > mostPort {
		return "nobody listens there; services above 65535 are no TCP ports, and only this library has them: is the number right?"
	}
	return "nobody listens there"
}

// denied reports whether the system refuses another call than connect, which a firewall refuses.
func denied(err error) bool {
	call, ok := errors.AsType[*os.SyscallError](err)
	return ok && call.Syscall != "connect" && errors.Is(err, os.ErrPermission)
}

// portsTaken reports whether "not available" of a dial says that this host has no free port towards the peer. Over IPv6
// the system says the same if this host has no address of that family, so there it is not known.
func portsTaken(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	if !ok {
		return false
	}
	to, ok := op.Addr.(*net.TCPAddr)
	return ok && to.IP.To4() != nil
}

// codeOf finds the code that a program's fabric has put into its error.
func codeOf(err error) (hca.Code, bool) {
	if e, ok := errors.AsType[*hca.Error](err); ok {
		return e.Code, true
	}
	return errors.AsType[hca.Code](err)
}
