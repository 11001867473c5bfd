//go:build !linux

package mem

import "errors"

func sysHugePageSize() int { return 0 }

func sysMapHuge(int) ([]byte, error) { return nil, errors.ErrUnsupported }
