package ibv

// int is the value of a function that returns int: the upper half of the
// register is undefined.
func (r result) int() int { return int(int32(uint32(r.value))) }

// failed is the error number of a call that failed; never zero.
func (r result) failed() Errno {
	if r.errno != 0 {
		return Errno(r.errno)
	}
	return EIO
}

// verbs is the outcome of a call that returns zero or an error number. Some
// drivers return -1 and set errno, some return the number negated.
func (r result) verbs() Errno {
	switch v := r.int(); {
	case v == 0:
		return 0
	case v == -1:
		return r.failed()
	case v < 0:
		return Errno(-v)
	default:
		return Errno(v)
	}
}

// pointer is the outcome of a call that returns an address, or NULL and sets errno.
func (r result) pointer() (uintptr, Errno) {
	if r.value == 0 {
		return 0, r.failed()
	}
	return r.value, 0
}
