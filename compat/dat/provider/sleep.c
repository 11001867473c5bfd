/* Sleeping. A thread that finds nothing sleeps here, in poll(2), and not in Go, where other
 * threads would have to wake it. It polls what Go has named: a descriptor of its own, which Go
 * writes to, and those of the connections that it waits for. Go is entered to begin the wait,
 * to look when one of them is readable, and to end the wait when the time is over.
 *
 * The system calls are made directly: as functions of C, they would be points where a thread can
 * be cancelled, which would leave the dispatcher with a waiter for ever. Signals are handled
 * meanwhile, and end no wait. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "shim.h"
#include "_cgo_export.h"

#define INFINITE UINT32_MAX

static void now(struct timespec *t) { clock_gettime(CLOCK_MONOTONIC, t); }

/* left stores the time until the end of the wait in t, and returns 0 if no time is left. */
static int left(const struct timespec *end, struct timespec *t)
{
	now(t);
	t->tv_sec = end->tv_sec - t->tv_sec;
	t->tv_nsec = end->tv_nsec - t->tv_nsec;
	if (t->tv_nsec < 0) {
		t->tv_sec--;
		t->tv_nsec += 1000000000;
	}
	return t->tv_sec >= 0 && (t->tv_sec > 0 || t->tv_nsec > 0);
}

/* nap sleeps until one of the descriptors is readable or the time is over. It returns 0 if the
 * time is over. */
static int nap(dg_sleep *s, const struct timespec *end)
{
	struct pollfd p[1 + DG_FDS];
	struct timespec t;
	long n;
	if (end != NULL && !left(end, &t))
		return 0;
	p[0] = (struct pollfd){.fd = s->kick, .events = POLLIN};
	for (int32_t i = 0; i < s->fds; i++)
		p[i + 1] = (struct pollfd){.fd = s->fd[i], .events = POLLIN | POLLRDHUP};
	n = syscall(SYS_ppoll, p, 1 + s->fds, end == NULL ? NULL : &t, NULL, 0);
	if (n > 0 && p[0].revents != 0) {
		uint64_t kicks;
		/* Read the eventfd before the look: a later event writes to it again. */
		if (syscall(SYS_read, s->kick, &kicks, sizeof kicks) < 0)
			n = 1; /* the eventfd may have been read already: look in any case */
	}
	return n != 0;
}

/* dg_pause reports, to each thread every PAUSE milliseconds, that the thread is to let Go's scheduler run before a
 * wait. Between two calls of Go the thread keeps its share of the processors. Where the scheduler has not run for 10
 * ms, the monitor thread of Go takes that share away, and then looks at everything each 20 us for a while: more
 * context switches than the waits themselves have. */
#define PAUSE 6
uint32_t dg_pause(void)
{
	static __thread uint64_t last;
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	uint64_t ms = (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
	if (ms - last < PAUSE)
		return 0;
	last = ms;
	return 1;
}

/* dg_sleep_on is the part of a wait in which the thread sleeps. */
dg_return dg_sleep_on(dg_sleep *s, uint32_t timeout, dg_event *event, int32_t *more, void **evd)
{
	struct timespec end;
	int saved = errno;
	dg_return ret;
	if (timeout != INFINITE) {
		now(&end);
		end.tv_sec += timeout / 1000000;
		end.tv_nsec += timeout % 1000000 * 1000;
		if (end.tv_nsec >= 1000000000) {
			end.tv_sec++;
			end.tv_nsec -= 1000000000;
		}
	}
	do {
		int in_time = nap(s, timeout == INFINITE ? NULL : &end);
		if (dg_forked()) { /* by a handler of a signal */
			ret = DG_INTERNAL_ERROR;
			break;
		}
		ret = goSleepOn(s, !in_time, event, more, evd);
	} while (ret == DG_ASLEEP);
	errno = saved;
	return ret;
}
