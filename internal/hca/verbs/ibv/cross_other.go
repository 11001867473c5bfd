//go:build !linux || !(amd64 || arm64)

package ibv

// Here only functions in Go are ever called: [Load] fails.

func (c *crossing) cross() {
	if !c.inGo() {
		c.result = result{value: ^uintptr(0)}
	}
}

func (c *crossing) withErrno() {
	if !c.inGo() {
		c.result = result{^uintptr(0), uintptr(ENOSYS)}
	}
}
