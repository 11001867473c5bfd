//go:build !linux || !(amd64 || arm64)

package ibv

// Neither is ever reached: [Load] fails here.

func cross(uintptr, []uintptr) result { return result{value: ^uintptr(0)} }

func (a *callArgs) cross(uintptr) result { return result{^uintptr(0), uintptr(ENOSYS)} }
