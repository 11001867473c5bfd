// Package seccomptest denies system calls, as the seccomp filter of a container does, for tests. On systems other than Linux it
// is empty.
package seccomptest
