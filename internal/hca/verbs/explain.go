package verbs

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// explain makes an error of an errno: its code, its name, the usual cause and
// the cure. detail is what was being done.
func explain(op, object string, e ibv.Errno, detail string) *hca.Error {
	code, cure := hca.Internal, ""
	for _, r := range reasons {
		if r.errno == e {
			code, cure = r.code, r.cure
			break
		}
	}
	if cure != "" {
		if detail != "" {
			detail += "; "
		}
		detail += cure
	}
	return hca.Wrap(code, op, object, detail, e)
}

// reasons are the error numbers of libibverbs and librdmacm.
var reasons = []struct {
	errno ibv.Errno
	code  hca.Code
	cure  string
}{
	{ibv.ENOMEM, hca.Resources, "a limit of the device or of locked memory (ulimit -l) is reached"},
	{ibv.EAGAIN, hca.Resources, "try again"},
	{ibv.EMFILE, hca.Resources, "raise the limit of open files: ulimit -n"},
	{ibv.EINVAL, hca.Invalid, "the device does not take these parameters"},
	{ibv.EACCES, hca.Privileges, "this user may not: look at the modes of /dev/infiniband/*"},
	{ibv.EPERM, hca.Privileges, "this user may not: look at the modes of /dev/infiniband/*"},
	{ibv.EBUSY, hca.InUse, "other objects use it"},
	{ibv.EOPNOTSUPP, hca.Unsupported, "the device cannot do that"},
	{ibv.ENOSYS, hca.Unsupported, "the device cannot do that"},
	{ibv.ENODEV, hca.Unreachable, "no RDMA device has a way to that address"},
	{ibv.EIO, hca.Internal, "the device is gone or broken"},
	{ibv.EADDRINUSE, hca.ServiceInUse, "another listener has that service"},
	{ibv.EADDRNOTAVAIL, hca.BadAddress, "no interface of this host has that address"},
	{ibv.EHOSTUNREACH, hca.Unreachable, "there is no route to that host"},
	{ibv.ENETUNREACH, hca.Unreachable, "there is no route to that network"},
	{ibv.ECONNREFUSED, hca.Refused, "nobody listens there"},
	{ibv.ETIMEDOUT, hca.Unreachable, "the host did not answer"},
}
