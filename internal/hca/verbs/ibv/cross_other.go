//go:build !linux || !(amd64 || arm64)

package ibv

// Neither is ever reached: [Load] fails here.

func (c *crossing) cross() { c.result = result{value: ^uintptr(0)} }

func (c *crossing) withErrno() { c.result = result{^uintptr(0), uintptr(ENOSYS)} }
