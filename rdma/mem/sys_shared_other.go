//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package mem

import "github.com/godapl/godapl/internal/hca"

func unsharable() error {
	return hca.NewError(hca.Unsupported, "share memory", "", "this system has no memory that the library could share")
}

func sysOpenShared(string, int) ([]byte, uint64, uint64, error) { return nil, 0, 0, unsharable() }
func sysRemoveShared(string) error                              { return unsharable() }
func sysIdentity([]byte) (identity, error)                      { return identity{}, unsharable() }
func sysJoin(SharedID, identity) (leave func(), err error)      { return nil, unsharable() }
