//go:build !linux

package park

import "errors"

// newQueue makes none: consumers sleep on their tokens.
func newQueue() (Queue, error) { return nil, errors.ErrUnsupported }

func newNearQueue() (Queue, error) { return newQueue() }
