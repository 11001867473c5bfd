/* Checks of the memory that a program names in a call. */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim.h"

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#define MADV_POPULATE_WRITE 23
#endif

/* usable reports whether a page can be read or written. Kernels before 5.14 cannot tell;
 * there, usable returns 1. */
static int usable(uintptr_t at, uintptr_t page, int writable)
{
	int advice = writable ? MADV_POPULATE_WRITE : MADV_POPULATE_READ;
	if (madvise((void *)at, page, advice) == 0)
		return 1;
	if (errno != EFAULT && errno != ENOMEM && errno != EINVAL)
		return 1;
	int no = errno;
	static char own;
	return no == EINVAL && madvise((void *)((uintptr_t)&own & -page), page, advice) != 0;
}

/* all_there reports whether every page is mapped. It makes the system call directly: as a
 * function of C, msync is a point where a thread can be cancelled, and Go has called this. The
 * thread would be unwound through the frames of Go, and leave their work half done. */
static int all_there(uintptr_t from, uintptr_t n) { return syscall(SYS_msync, from, n, MS_ASYNC) == 0 || errno != ENOMEM; }

/* dg_mapped reports whether all of p[0:n] is mapped and its first and last page can be
 * read or written. It changes nothing. */
int dg_mapped(uintptr_t p, uint64_t n, int writable)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = p & -page;
	if (n == 0 || p + n < p || p + n > UINTPTR_MAX - page)
		return 0;
	uintptr_t to = (p + n + page - 1) & -page;
	int saved = errno;
	int ok = all_there(from, to - from) && usable(from, page, writable) && usable(to - page, page, writable);
	errno = saved;
	return ok;
}
