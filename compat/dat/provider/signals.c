/* The signals of the program are not for the threads of Go. The kernel gives a signal of a process to
 * any thread that does not block it: a program that blocks a signal in all of its threads, to wait for
 * it in one of them, would be ended by it. Go's threads have the mask that the thread had which has
 * loaded this library, so that blocks the signals meanwhile. */
#include <pthread.h>
#include <signal.h>

#include "shim.h"
#include "_cgo_export.h"

static sigset_t programs;

/* Go's own: faults, broken pipes, and what it stops its goroutines with. */
static const int gos[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGPIPE, SIGURG};

/* Constructors with a priority are called before that of Go, and the others behind it. */
static __attribute__((constructor(101))) void before_go(void)
{
	sigset_t all;
	sigfillset(&all);
	for (size_t i = 0; i < sizeof gos / sizeof gos[0]; i++)
		sigdelset(&all, gos[i]);
	pthread_sigmask(SIG_BLOCK, &all, &programs);
}

static __attribute__((constructor)) void behind_go(void) { pthread_sigmask(SIG_SETMASK, &programs, NULL); }

/* dg_call_agent calls a function of the program on a thread of Go. What it starts there has the
 * program's mask. */
void dg_call_agent(void *f, uintptr_t data, void *evd)
{
	sigset_t ours;
	pthread_sigmask(SIG_SETMASK, &programs, &ours);
	((void (*)(uintptr_t, void *))f)(data, evd);
	pthread_sigmask(SIG_SETMASK, &ours, NULL);
}

__thread int dg_entered;

/* dg_enter has the mask of a thread be as before its first call into Go, in which Go unblocks what it
 * wants to get. Of that, faults stay unblocked. */
void dg_enter(void)
{
	static const int wanted[] = {SIGCHLD, SIGPROF};
	sigset_t was, again;
	dg_entered = 1;
	sigemptyset(&again);
	pthread_sigmask(SIG_BLOCK, NULL, &was);
	goEnter();
	for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
		if (sigismember(&was, wanted[i]) == 1)
			sigaddset(&again, wanted[i]);
	pthread_sigmask(SIG_BLOCK, &again, NULL);
}
