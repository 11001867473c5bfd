//go:build !linux

package progress

func HasInput(any) bool      { return false }
func AwaitInput(any, func()) {}
