//go:build !linux

package soft

func hasInput(any) bool { return false }

func awaitInput(any, func()) {}
