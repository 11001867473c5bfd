//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package mem

// sysIdentity knows memory of OpenShared only. Its file is told by its name.
func sysIdentity(b []byte) (identity, error) {
	m := mappings.retain(b)
	if m == nil {
		return identity{}, notShared(b)
	}
	defer m.release()
	return identity{m.device, m.inode, uint64(sysAddress(b) - sysAddress(m.bytes)), uint64(len(b))}, nil
}
