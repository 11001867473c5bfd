//go:build !linux

package mem

import "errors"

const haveArenas = false

func sysZero([]byte) error { return errors.ErrUnsupported }
func sysOrdinary([]byte)   {}
