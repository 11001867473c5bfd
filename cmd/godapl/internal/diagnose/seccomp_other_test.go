//go:build !linux

package diagnose

import "errors"

func runWithout([]string, []string) error { return errors.ErrUnsupported }
