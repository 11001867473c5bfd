package verbs

import (
	"strconv"

	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// reason describes an error number: its code, its name, the usual cause and the cure.
type reason struct {
	errno ibv.Errno
	name  string
	code  hca.Code
	cure  string
}

// explain converts the errno of a call on the device or one of its objects. detail says
// what was being done.
func explain(op, object string, e ibv.Errno, detail string) *hca.Error {
	r := reasonOf(e)
	if e == ibv.ENOMEM {
		r.cure += memlockHint()
	}
	return r.error(op, object, detail)
}

// explainAddress is explain for calls of the connection manager with an address, for
// which some error numbers have another meaning.
func explainAddress(op, address string, e ibv.Errno, detail string) *hca.Error {
	for _, r := range addressReasons {
		if r.errno == e {
			return r.error(op, address, detail)
		}
	}
	return explain(op, address, e, detail)
}

func reasonOf(e ibv.Errno) reason {
	for _, r := range reasons {
		if r.errno == e {
			return r
		}
	}
	return reason{e, "errno " + strconv.Itoa(int(e)), hca.Internal, "that is unusual: the kernel's log (dmesg) may say more"}
}

func (r *reason) error(op, object, detail string) *hca.Error {
	if detail != "" {
		detail += "; "
	}
	return hca.Wrap(r.code, op, object, detail+r.cure+" ("+r.name+")", r.errno)
}

const modes = "this user may not: look at the modes of /dev/infiniband/*, and in a container at its device rules"

// reasons are the error numbers of libibverbs and librdmacm.
var reasons = []reason{
	{ibv.EPERM, "EPERM", hca.Privileges, modes},
	{ibv.ENOENT, "ENOENT", hca.NotFound, "a file of the device is not there: are the kernel modules loaded (rdma_ucm, ib_uverbs), and is /dev/infiniband in this container?"},
	{ibv.EINTR, "EINTR", hca.Internal, "a signal interrupted the call: try again"},
	{ibv.EIO, "EIO", hca.Internal, "the device is gone or broken: see the kernel's log (dmesg), close the adapter and open it again"},
	{ibv.EAGAIN, "EAGAIN", hca.Resources, "the system is short of something for the moment: try again"},
	{ibv.ENOMEM, "ENOMEM", hca.Resources, "the device is at a limit of its own (see the adapter's attributes), or memory is short"},
	{ibv.EACCES, "EACCES", hca.Privileges, modes},
	{ibv.EFAULT, "EFAULT", hca.Privileges, "the memory is not mapped, or mapped for reading only while the device is to write there: map it for writing"},
	{ibv.EBUSY, "EBUSY", hca.InUse, "other objects use it: close them first"},
	{ibv.EEXIST, "EEXIST", hca.State, "the device has that already: it was made before"},
	{ibv.ENODEV, "ENODEV", hca.Internal, "the device is gone: close the adapter, and open it again when the device is back"},
	{ibv.EINVAL, "EINVAL", hca.Invalid, "the device does not take these parameters: see the limits in its attributes"},
	{ibv.EMFILE, "EMFILE", hca.Resources, "this process has too many open files: raise ulimit -n"},
	{ibv.ENFILE, "ENFILE", hca.Resources, "the system has too many open files: raise sysctl fs.file-max"},
	{ibv.ENOSPC, "ENOSPC", hca.Resources, "a table of the device is full: close objects that are not needed (rdma resource show)"},
	{ibv.ENOSYS, "ENOSYS", hca.Unsupported, "the device or its driver cannot do that: see the capabilities in its attributes"},
	{ibv.ENODATA, "ENODATA", hca.Unreachable, "nobody knows a path there: is the subnet manager running, and the port active (rdma link)?"},
	{ibv.EPROTO, "EPROTO", hca.Refused, "the peer answered something else than was agreed: is it an RDMA listener, and of the same kind of network?"},
	{ibv.EOPNOTSUPP, "EOPNOTSUPP", hca.Unsupported, "the device or its driver cannot do that: see the capabilities in its attributes"},
	{ibv.EAFNOSUPPORT, "EAFNOSUPPORT", hca.BadAddress, "addresses of this family are not for this device: use IPv4 or IPv6 as its network interface has it"},
	{ibv.EADDRINUSE, "EADDRINUSE", hca.ServiceInUse, "another listener has that service: take another, or 0 for a free one"},
	{ibv.EADDRNOTAVAIL, "EADDRNOTAVAIL", hca.BadAddress, "no interface of this host has that address: see ip addr"},
	{ibv.ENETDOWN, "ENETDOWN", hca.Unreachable, "the network interface is down: ip link set ... up"},
	{ibv.ENETUNREACH, "ENETUNREACH", hca.Unreachable, "there is no route to that network, or no GID of the device for it: see ip route get, rdma link"},
	{ibv.ECONNABORTED, "ECONNABORTED", hca.Broken, "the connection was lost: try again"},
	{ibv.ECONNRESET, "ECONNRESET", hca.Disconnected, "the peer has given the connection up"},
	{ibv.EISCONN, "EISCONN", hca.State, "it is connected already"},
	{ibv.ENOTCONN, "ENOTCONN", hca.State, "it is not connected, or not any more"},
	{ibv.ETIMEDOUT, "ETIMEDOUT", hca.Unreachable, "the host did not answer: is it up, and does a firewall let RDMA through (RoCE: UDP port 4791)?"},
	{ibv.ECONNREFUSED, "ECONNREFUSED", hca.Refused, "nobody listens there: is the peer's program running, and the service the same?"},
	{ibv.EHOSTDOWN, "EHOSTDOWN", hca.Unreachable, "the host is down, or not on this network"},
	{ibv.EHOSTUNREACH, "EHOSTUNREACH", hca.Unreachable, "there is no route to that host: see ip route get, ip neigh"},
	{ibv.EPROTONOSUPPORT, "EPROTONOSUPPORT", hca.Unsupported, "the libraries and the kernel do not fit together: upgrade rdma-core"},
}

// addressReasons are the error numbers that have another meaning for calls with an
// address.
var addressReasons = []reason{
	{ibv.ENODEV, "ENODEV", hca.Unreachable, "no RDMA device has a way to that address: ip route get tells which interface leads there, rdma link which device it has"},
	{ibv.EINVAL, "EINVAL", hca.BadAddress, "the connection manager does not take that address, or these parameters: it must be an address that the device's network interface reaches"},
	{ibv.EACCES, "EACCES", hca.Privileges, "services below 1024 are for privileged users: take another, or grant CAP_NET_BIND_SERVICE"},
}
