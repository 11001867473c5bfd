/* What a program says of its memory, looked at before it is believed. */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "shim.h"

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#define MADV_POPULATE_WRITE 23
#endif

/* usable tells whether a page may be read, or written. Kernels before 5.14 cannot be
 * asked, and are believed. */
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

/* dg_mapped tells whether all of p[0:n] is mapped, and the ends of it may be read, or
 * written. Nothing is changed by it. */
int dg_mapped(void *p, uint64_t n, int writable)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)p & -page;
	if (n == 0 || (uintptr_t)p + n < (uintptr_t)p || (uintptr_t)p + n > UINTPTR_MAX - page)
		return 0;
	uintptr_t to = ((uintptr_t)p + n + page - 1) & -page;
	int saved = errno;
	int ok = (msync((void *)from, to - from, MS_ASYNC) == 0 || errno != ENOMEM) && usable(from, page, writable) &&
		 usable(to - page, page, writable);
	errno = saved;
	return ok;
}
