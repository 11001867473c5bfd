/* Threads that sleep in dat_evd_wait and dat_cno_wait, and every event that can occur while
 * they sleep. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common.h"

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

/* sleeper is a thread that waits once. */
struct sleeper {
	pthread_t thread;
	volatile pid_t tid;
	DAT_EVD_HANDLE evd;
	DAT_CNO_HANDLE cno; /* waits for this, if there is one, */
	DAT_EVD_HANDLE of; /* until this has an event, if there is one */
	DAT_COUNT threshold, more;
	DAT_TIMEOUT timeout;
	DAT_EVENT event;
	DAT_RETURN ret;
	volatile int done;
};

static int late; /* the device may report an event that was taken before */

/* notice waits for the notification object until a dispatcher has an event. Where reports are late, a wait may end for
 * one of them, and name another dispatcher. */
static DAT_RETURN notice(DAT_CNO_HANDLE cno, DAT_TIMEOUT timeout, DAT_EVD_HANDLE of, DAT_EVENT *event)
{
	DAT_EVD_HANDLE who;
	DAT_RETURN ret;
	int waits = 0;
	do {
		TRUE_(waits++ < (late ? 3 : 1));
		ret = dat_cno_wait(cno, timeout, &who);
		TRUE_(late || ret != DAT_SUCCESS || who == of);
	} while (ret == DAT_SUCCESS && dat_evd_dequeue(of, event) != DAT_SUCCESS);
	return ret;
}

static void *sleeps(void *arg)
{
	struct sleeper *s = arg;
	s->tid = gettid();
	if (s->of != NULL)
		s->ret = notice(s->cno, s->timeout, s->of, &s->event);
	else if (s->cno != NULL)
		s->ret = dat_cno_wait(s->cno, s->timeout, &s->evd);
	else
		s->ret = dat_evd_wait(s->evd, s->timeout, s->threshold, &s->event, &s->more);
	s->done = 1;
	pthread_testcancel();
	return NULL;
}

/* await_sleep returns when the kernel says that the thread sleeps in poll(2), as the library's waits do. */
static void await_sleep(struct sleeper *s)
{
	char path[64];
	long call = -1;
	for (double until = now() + 1e7; call != SYS_ppoll; usleep(100)) {
		TRUE_(!s->done && now() < until);
		if (s->tid == 0)
			continue;
		snprintf(path, sizeof path, "/proc/self/task/%d/syscall", s->tid);
		FILE *f = fopen(path, "r");
		TRUE_(f != NULL);
		if (fscanf(f, "%ld", &call) != 1)
			call = -1; /* it runs */
		fclose(f);
	}
}

static void begin(struct sleeper *s)
{
	s->threshold = s->threshold > 0 ? s->threshold : 1;
	s->timeout = DAT_TIMEOUT_INFINITE;
	TRUE_(pthread_create(&s->thread, NULL, sleeps, s) == 0);
	await_sleep(s);
}

static DAT_RETURN end_of(struct sleeper *s)
{
	void *result;
	TRUE_(pthread_join(s->thread, &result) == 0);
	TRUE_(s->done);
	return s->ret;
}

static void send_to(struct end *from, struct end *to, uint64_t cookie)
{
	DAT_LMR_TRIPLET out = local(0, 64), in = local(4096, 64);
	OK(dat_ep_post_recv(to->ep, 1, &in, number(cookie), DAT_COMPLETION_DEFAULT_FLAG));
	DAT_RETURN ret;
	for (double until = now() + 1e7;; usleep(10)) { /* the queue may be full until the receiver has run */
		ret = dat_ep_post_send(from->ep, 1, &out, number(cookie), DAT_COMPLETION_SUPPRESS_FLAG);
		if (DAT_GET_TYPE(ret) != DAT_INSUFFICIENT_RESOURCES || now() > until)
			break;
	}
	OK(ret);
}

static void timeouts(void)
{
	DAT_EVENT event;
	DAT_COUNT more = -1;
	DAT_CNO_HANDLE cno;
	DAT_EVD_HANDLE who;
	double began = now();
	WANT(dat_evd_wait(two.dto, 30000, 1, &event, &more), DAT_TIMEOUT_EXPIRED);
	double took = now() - began;
	TRUE_(more == 0 && took >= 30000 && took < 5e6);
	for (int i = 0; i < 50; i++)
		WANT(dat_evd_wait(two.dto, i % 3, 1, &event, &more), DAT_TIMEOUT_EXPIRED);
	OK(dat_cno_create(ia, DAT_OS_WAIT_PROXY_AGENT_NULL, &cno));
	began = now();
	WANT(dat_cno_wait(cno, 30000, &who), DAT_QUEUE_EMPTY);
	took = now() - began;
	TRUE_(took >= 30000 && took < 5e6);
	WANT(dat_cno_wait(cno, 0, &who), DAT_QUEUE_EMPTY);
	OK(dat_cno_free(cno));
}

static volatile sig_atomic_t handled;

static void on_signal(int s) { (void)s, handled++; }

/* A signal does not end a wait. Its handler runs. */
static void signals(void)
{
	struct sigaction sa = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
	struct sleeper s = {.evd = two.dto};
	sigaction(SIGUSR1, &sa, NULL);
	handled = 0;
	begin(&s);
	for (int i = 0; i < 200; i++) {
		int before = handled;
		pthread_kill(s.thread, SIGUSR1);
		while (handled == before)
			usleep(100);
	}
	TRUE_(!s.done);
	send_to(&one, &two, 5);
	OK(end_of(&s));
	TRUE_(s.event.event_data.dto_completion_event_data.user_cookie.as_64 == 5 && s.more == 0);
}

/* A thread that is cancelled while it waits ends after the wait, which takes its event. */
static void cancelled(void)
{
	struct sleeper s = {.evd = two.dto};
	void *result = NULL;
	DAT_EVENT event;
	DAT_COUNT more;
	begin(&s);
	pthread_cancel(s.thread);
	await_sleep(&s);
	TRUE_(pthread_tryjoin_np(s.thread, &result) == EBUSY);
	send_to(&one, &two, 6);
	TRUE_(pthread_join(s.thread, &result) == 0 && result == PTHREAD_CANCELED);
	TRUE_(s.done && s.ret == DAT_SUCCESS && s.event.event_data.dto_completion_event_data.user_cookie.as_64 == 6);
	WANT(dat_evd_wait(two.dto, 0, 1, &event, &more), DAT_TIMEOUT_EXPIRED);
}

static volatile int stage;

static void *registers(void *arg)
{
	DAT_REGION_DESCRIPTION region = {.for_va = memory};
	DAT_LMR_HANDLE *h = arg;
	DAT_LMR_CONTEXT lc;
	DAT_VLEN size;
	DAT_VADDR at;
	int old;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
	for (stage = 1; stage != 2;)
		usleep(100);
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
	OK(dat_lmr_create(ia, DAT_MEM_TYPE_VIRTUAL, region, 4096, pz, DAT_MEM_PRIV_ALL_FLAG, DAT_VA_TYPE_VA, h, &lc, NULL, &size, &at));
	stage = 3;
	pthread_testcancel();
	return NULL;
}

/* A thread that is to be cancelled is so after its call, which does its work. */
static void cancelled_later(void)
{
	pthread_t t;
	void *result = NULL;
	DAT_LMR_HANDLE h = NULL;
	TRUE_(pthread_create(&t, NULL, registers, &h) == 0);
	while (stage != 1)
		usleep(100);
	pthread_cancel(t);
	stage = 2;
	TRUE_(pthread_join(t, &result) == 0 && result == PTHREAD_CANCELED);
	TRUE_(stage == 3);
	OK(dat_lmr_free(h));
}

static void *opens(void *name)
{
	DAT_IA_HANDLE own;
	DAT_EVD_HANDLE errors = DAT_HANDLE_NULL;
	int old;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
	for (stage = 1; stage != 2;)
		usleep(100);
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
	OK(dat_ia_open(name, 8, &errors, &own));
	OK(dat_ia_close(own, DAT_CLOSE_ABRUPT_FLAG));
	stage = 3;
	pthread_testcancel();
	return NULL;
}

/* That also holds for the thread that loads the library. */
static void cancelled_first(char *name)
{
	pthread_t t;
	void *result = NULL;
	TRUE_(pthread_create(&t, NULL, opens, name) == 0);
	while (stage != 1)
		usleep(100);
	pthread_cancel(t);
	stage = 2;
	TRUE_(pthread_join(t, &result) == 0 && result == PTHREAD_CANCELED && stage == 3);
}

static volatile sig_atomic_t in_child;
static volatile pid_t child;

static void on_alarm(int s)
{
	(void)s;
	child = fork();
	in_child = child == 0;
}

/* The signal is for one thread, and only while it sleeps. One for the process may be handled by any thread, also by one of
 * Go's, and the child then has only that. */
static void *alarms(void *arg)
{
	struct sleeper *s = arg;
	await_sleep(s);
	TRUE_(pthread_kill(s->thread, SIGALRM) == 0);
	return NULL;
}

/* In a child process waits fail: a wait that it begins, and a wait during which a signal handler
 * has made the child. */
static void forks(void)
{
	struct sigaction sa = {.sa_handler = on_alarm, .sa_flags = SA_ONSTACK};
	struct sleeper self = {.thread = pthread_self(), .tid = gettid()};
	pthread_t alarmed;
	struct sleeper s = {.evd = two.dto};
	DAT_EVENT event;
	DAT_COUNT more;
	DAT_RETURN ret;
	int status;
	begin(&s);
	pid_t p = fork();
	if (p == 0) {
		alarm(5);
		_exit(DAT_GET_TYPE(dat_evd_wait(one.conn, 1000, 1, &event, &more)) == DAT_INTERNAL_ERROR ? 7 : 1);
	}
	TRUE_(waitpid(p, &status, 0) == p && WIFEXITED(status) && WEXITSTATUS(status) == 7);
	send_to(&one, &two, 7);
	OK(end_of(&s));
	sigaction(SIGALRM, &sa, NULL);
	child = 0;
	TRUE_(pthread_create(&alarmed, NULL, alarms, &self) == 0);
	do {
		ret = dat_evd_wait(one.conn, 2000000, 1, &event, &more);
		if (in_child)
			_exit(DAT_GET_TYPE(ret) == DAT_INTERNAL_ERROR ? 7 : 1);
		WANT(ret, DAT_TIMEOUT_EXPIRED);
	} while (child == 0);
	TRUE_(pthread_join(alarmed, NULL) == 0);
	TRUE_(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

static void thresholds(void)
{
	struct sleeper s = {.evd = two.dto, .threshold = 3};
	DAT_EVENT event;
	DAT_COUNT more;
	begin(&s);
	for (int i = 0; i < 2; i++) {
		send_to(&one, &two, i);
		await_sleep(&s);
	}
	send_to(&one, &two, 2);
	OK(end_of(&s));
	TRUE_(s.more == 2 && s.event.event_data.dto_completion_event_data.user_cookie.as_64 == 0);
	for (int i = 1; i < 3; i++) {
		event = next(two.dto, DAT_DTO_COMPLETION_EVENT);
		TRUE_(event.event_data.dto_completion_event_data.user_cookie.as_64 == (uint64_t)i);
	}
	/* When the time is over, events below the threshold stay in the queue. */
	send_to(&one, &two, 8);
	WANT(dat_evd_wait(two.dto, 1000000, 2, &event, &more), DAT_TIMEOUT_EXPIRED);
	TRUE_(more == 1);
	next(two.dto, DAT_DTO_COMPLETION_EVENT);
}

static void notified(void)
{
	DAT_CNO_HANDLE cno;
	DAT_EVD_HANDLE soft;
	DAT_EVENT event = {.event_number = DAT_SOFTWARE_EVENT}, got;
	OK(dat_cno_create(ia, DAT_OS_WAIT_PROXY_AGENT_NULL, &cno));
	OK(dat_evd_create(ia, 16, cno, DAT_EVD_SOFTWARE_FLAG, &soft));
	OK(dat_evd_modify_cno(two.dto, cno));
	for (int i = 0; i < 50; i++) {
		DAT_EVD_HANDLE of = i % 2 ? two.dto : soft, other = i % 2 ? soft : two.dto;
		struct sleeper s = {.cno = cno, .of = of};
		if (i < 10)
			begin(&s);
		if (i % 2) {
			send_to(&one, &two, i);
		} else {
			OK(dat_evd_post_se(soft, &event));
		}
		if (i < 10)
			OK(end_of(&s));
		else
			OK(notice(cno, 10000000, of, &got));
		WANT(dat_evd_dequeue(of, &got), DAT_QUEUE_EMPTY);
		WANT(dat_evd_dequeue(other, &got), DAT_QUEUE_EMPTY);
	}
	OK(dat_evd_modify_cno(two.dto, DAT_HANDLE_NULL));
	/* Each trigger ends one wait. */
	struct sleeper s[3] = {{.cno = cno}, {.cno = cno}, {.cno = cno}};
	for (int i = 0; i < 3; i++)
		begin(&s[i]);
	for (int i = 0; i < 3; i++) {
		OK(dat_evd_post_se(soft, &event));
		for (int done = 0; done <= i; usleep(1000))
			done = s[0].done + s[1].done + s[2].done;
		OK(dat_evd_dequeue(soft, &got));
		WANT(dat_evd_dequeue(soft, &got), DAT_QUEUE_EMPTY);
	}
	for (int i = 0; i < 3; i++)
		OK(end_of(&s[i]));
	OK(dat_evd_modify_cno(two.dto, cno));
	/* A wait on the dispatcher itself. */
	struct sleeper direct = {.evd = two.dto};
	begin(&direct);
	send_to(&one, &two, 9);
	OK(end_of(&direct));
	OK(dat_evd_modify_cno(two.dto, DAT_HANDLE_NULL));
	OK(dat_evd_free(soft));
	OK(dat_cno_free(cno));
}

static void join(struct end *a, struct end *b)
{
	DAT_PSP_HANDLE psp;
	DAT_CONN_QUAL qual;
	OK(dat_psp_create_any(ia, &qual, cr, DAT_PSP_CONSUMER_FLAG, &psp));
	OK(dat_ep_connect(a->ep, address(), qual, DAT_TIMEOUT_INFINITE, 0, NULL, DAT_QOS_BEST_EFFORT, DAT_CONNECT_DEFAULT_FLAG));
	DAT_EVENT event = next(cr, DAT_CONNECTION_REQUEST_EVENT);
	OK(dat_cr_accept(event.event_data.cr_arrival_event_data.cr_handle, b->ep, 0, NULL));
	next(a->conn, DAT_CONNECTION_EVENT_ESTABLISHED);
	next(b->conn, DAT_CONNECTION_EVENT_ESTABLISHED);
	OK(dat_psp_free(psp));
}

enum { STREAMS = 6, MESSAGES = 3000 };

static volatile int taken;
static unsigned char seen[MESSAGES];

static void *takes(void *evd)
{
	DAT_EVENT event;
	DAT_COUNT more;
	while (taken < MESSAGES) {
		OK(dat_evd_wait(evd, DAT_TIMEOUT_INFINITE, 1, &event, &more));
		uint64_t cookie = event.event_number == DAT_SOFTWARE_EVENT ? (uintptr_t)event.event_data.software_event_data.pointer
									   : event.event_data.dto_completion_event_data.user_cookie.as_64;
		TRUE_(cookie < MESSAGES && !seen[cookie]);
		seen[cookie] = 1;
		taken++;
	}
	return NULL;
}

/* Several connections and the program itself feed one dispatcher. */
static void streams(int connections)
{
	struct end from[STREAMS], to[STREAMS];
	DAT_EVD_HANDLE all;
	pthread_t taker;
	OK(dat_evd_create(ia, 4096, DAT_HANDLE_NULL, DAT_EVD_DTO_FLAG | DAT_EVD_SOFTWARE_FLAG, &all));
	for (int i = 0; i < connections; i++) {
		make_end(&from[i]);
		OK(dat_evd_create(ia, 16, DAT_HANDLE_NULL, DAT_EVD_CONNECTION_FLAG, &to[i].conn));
		OK(dat_ep_create(ia, pz, all, all, to[i].conn, NULL, &to[i].ep));
		join(&from[i], &to[i]);
	}
	taken = 0;
	memset(seen, 0, sizeof seen);
	TRUE_(pthread_create(&taker, NULL, takes, all) == 0);
	for (int i = 0; i < MESSAGES; i++) {
		int which = rand() % (connections + 1);
		if (which == connections) {
			DAT_EVENT event = {.event_number = DAT_SOFTWARE_EVENT};
			event.event_data.software_event_data.pointer = (void *)(uintptr_t)i;
			OK(dat_evd_post_se(all, &event));
		} else {
			send_to(&from[which], &to[which], i);
		}
		int least = i + 1 - rand() % 8; /* up to 7 events may be in flight */
		for (double until = now() + 1e7; taken < least;)
			TRUE_(now() < until);
	}
	TRUE_(pthread_join(taker, NULL) == 0 && taken == MESSAGES);
	for (int i = 0; i < connections; i++) {
		OK(dat_ep_free(from[i].ep));
		OK(dat_ep_free(to[i].ep));
		OK(dat_evd_free(from[i].dto));
		OK(dat_evd_free(from[i].conn));
		OK(dat_evd_free(to[i].conn));
	}
	OK(dat_evd_free(all));
}

enum { ROUNDS = 2000 };

struct waiter {
	DAT_EVD_HANDLE evd;
	volatile uint64_t n;
};

static void *waits(void *arg)
{
	struct waiter *w = arg;
	DAT_EVENT event;
	DAT_COUNT more;
	for (; w->n < ROUNDS; w->n++) {
		OK(dat_evd_wait(w->evd, 10000000, 1, &event, &more));
		TRUE_(event.event_data.dto_completion_event_data.status == DAT_DTO_SUCCESS);
		TRUE_(event.event_data.dto_completion_event_data.user_cookie.as_64 == w->n);
	}
	return NULL;
}

/* Two threads wait for events of one connection, each at a dispatcher of its own. */
static void both_queues(void)
{
	struct end a, b;
	DAT_EVD_HANDLE requests;
	pthread_t t[2];
	DAT_LMR_TRIPLET out = local(0, 64), in = local(4096, 64);
	DAT_RMR_TRIPLET at = far(8192, 64);
	make_end(&a);
	OK(dat_evd_create(ia, 256, DAT_HANDLE_NULL, DAT_EVD_DTO_FLAG, &b.dto));
	OK(dat_evd_create(ia, 256, DAT_HANDLE_NULL, DAT_EVD_DTO_FLAG, &requests));
	OK(dat_evd_create(ia, 16, DAT_HANDLE_NULL, DAT_EVD_CONNECTION_FLAG, &b.conn));
	OK(dat_ep_create(ia, pz, b.dto, requests, b.conn, NULL, &b.ep));
	join(&a, &b);
	struct waiter w[2] = {{.evd = b.dto}, {.evd = requests}};
	for (int i = 0; i < 2; i++)
		TRUE_(pthread_create(&t[i], NULL, waits, &w[i]) == 0);
	for (uint64_t i = 0; i < ROUNDS; i++) {
		OK(dat_ep_post_recv(b.ep, 1, &in, number(i), DAT_COMPLETION_DEFAULT_FLAG));
		OK(dat_ep_post_send(a.ep, 1, &out, number(i), DAT_COMPLETION_SUPPRESS_FLAG));
		/* The peer's answer completes a read. */
		OK(dat_ep_post_rdma_read(b.ep, 1, &out, number(i), &at, DAT_COMPLETION_DEFAULT_FLAG));
		uint64_t least = i + 1 - rand() % 4 * (i > 4);
		while (w[0].n < least || w[1].n < least)
			usleep(rand() % 2);
		if (i % 64 == 63)
			usleep(rand() % 3000); /* so long that the library no longer expects a wait */
	}
	TRUE_(pthread_join(t[0], NULL) == 0 && pthread_join(t[1], NULL) == 0);
	OK(dat_ep_free(a.ep));
	OK(dat_ep_free(b.ep));
	OK(dat_evd_free(requests));
}

/* A program may take events in several ways by turns. */
static void mixed(void)
{
	DAT_EVENT event;
	DAT_COUNT more;
	for (uint64_t i = 0; i < 2000; i++) {
		send_to(&one, &two, i);
		switch (rand() % 4) {
		case 0:
			event = next(two.dto, DAT_DTO_COMPLETION_EVENT);
			break;
		case 1:
			while (dat_evd_dequeue(two.dto, &event) != DAT_SUCCESS)
				;
			break;
		case 2:
			while (dat_evd_wait(two.dto, 0, 1, &event, &more) != DAT_SUCCESS)
				;
			break;
		default:
			while (dat_evd_wait(two.dto, rand() % 100, 1, &event, &more) != DAT_SUCCESS)
				;
		}
		TRUE_(event.event_data.dto_completion_event_data.user_cookie.as_64 == i);
	}
}

/* A dispatcher is freed, or made unwaitable, while a thread waits. */
static void ends(void)
{
	DAT_EVD_HANDLE soft;
	DAT_EVENT event;
	DAT_COUNT more;
	for (int i = 0; i < 20; i++) {
		OK(dat_evd_create(ia, 4, DAT_HANDLE_NULL, i % 2 ? DAT_EVD_SOFTWARE_FLAG : DAT_EVD_DTO_FLAG, &soft));
		struct sleeper s = {.evd = soft};
		if (i < 4) {
			begin(&s);
		} else { /* at a random moment */
			s.threshold = 1;
			s.timeout = DAT_TIMEOUT_INFINITE;
			TRUE_(pthread_create(&s.thread, NULL, sleeps, &s) == 0);
			usleep(rand() % 200);
		}
		OK(dat_evd_free(soft));
		DAT_RETURN ret = end_of(&s);
		if (i < 4 || DAT_GET_TYPE(ret) != DAT_INVALID_HANDLE)
			WANT(ret, DAT_ABORT);
		WANT(dat_evd_wait(soft, 0, 1, &event, &more), DAT_INVALID_HANDLE);
	}
	struct sleeper s = {.evd = two.dto};
	begin(&s);
	WANT(dat_evd_dequeue(two.dto, &event), DAT_INVALID_STATE);
	WANT(dat_evd_wait(two.dto, 0, 1, &event, &more), DAT_INVALID_STATE);
	OK(dat_evd_set_unwaitable(two.dto));
	WANT(end_of(&s), DAT_INVALID_STATE);
	OK(dat_evd_clear_unwaitable(two.dto));
	/* The end of the connection wakes both threads that wait for it. */
	struct sleeper dto = {.evd = two.dto}, conn = {.evd = two.conn};
	DAT_LMR_TRIPLET in = local(4096, 64);
	begin(&dto);
	begin(&conn);
	OK(dat_ep_post_recv(two.ep, 1, &in, number(11), DAT_COMPLETION_DEFAULT_FLAG));
	OK(dat_ep_disconnect(one.ep, DAT_CLOSE_ABRUPT_FLAG));
	OK(end_of(&dto));
	OK(end_of(&conn));
	TRUE_(dto.event.event_data.dto_completion_event_data.status == DAT_DTO_ERR_FLUSHED && conn.event.event_number != DAT_CONNECTION_EVENT_ESTABLISHED);
	struct sleeper last = {.evd = two.dto};
	begin(&last);
	OK(dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG));
	WANT(end_of(&last), DAT_ABORT);
}

static DAT_EVD_HANDLE volatile latest;
static volatile int enough;

/* dequeues finds nothing in a dispatcher and nothing in the next, once the first was freed. */
static void *dequeues(void *arg)
{
	DAT_EVENT event;
	while (!enough) {
		DAT_EVD_HANDLE evd = latest;
		DAT_RETURN ret = DAT_QUEUE_EMPTY;
		while (!enough && DAT_GET_TYPE(ret) == DAT_QUEUE_EMPTY)
			ret = dat_evd_dequeue(evd, &event);
		TRUE_(enough || DAT_GET_TYPE(ret) == DAT_INVALID_HANDLE);
	}
	return arg;
}

/* A thread that is about to take an event of a dispatcher when that is freed does not take the
 * event of a dispatcher that was made since then. */
static void freed_meanwhile(void)
{
	enum { THREADS = 3 };
	pthread_t t[THREADS];
	DAT_EVD_HANDLE evd;
	DAT_EVENT event = {.event_number = DAT_SOFTWARE_EVENT}, got;
	OK(dat_evd_create(ia, 4, DAT_HANDLE_NULL, DAT_EVD_SOFTWARE_FLAG, &evd));
	latest = evd;
	enough = 0;
	for (int i = 0; i < THREADS; i++)
		TRUE_(pthread_create(&t[i], NULL, dequeues, NULL) == 0);
	for (double until = now() + 2e6; now() < until; usleep(200)) {
		OK(dat_evd_free(evd));
		OK(dat_evd_create(ia, 4, DAT_HANDLE_NULL, DAT_EVD_SOFTWARE_FLAG, &evd));
		OK(dat_evd_post_se(evd, &event)); /* nobody else knows this dispatcher yet */
		OK(dat_evd_dequeue(evd, &got));
		latest = evd;
	}
	enough = 1;
	for (int i = 0; i < THREADS; i++)
		TRUE_(pthread_join(t[i], NULL) == 0);
	OK(dat_evd_free(evd));
}

/* What takes long on a slow machine does not look like a hang: each stage is named. */
#define STAGE(call) (puts(#call), call)

int main(int argc, char **argv)
{
	if (argc > 2)
		srand(atoi(argv[2]));
	late = argc > 3 && atoi(argv[3]);
	if (argc > 1)
		cancelled_first(argv[1]);
	for (int round = 0; round < 2 && argc > 1; round++) {
		STAGE(both_ends(argv[1]));
		STAGE(timeouts());
		STAGE(signals());
		STAGE(cancelled());
		STAGE(cancelled_later());
		STAGE(forks());
		STAGE(thresholds());
		STAGE(notified());
		STAGE(mixed());
		STAGE(streams(2));
		STAGE(streams(STREAMS));
		STAGE(both_queues());
		STAGE(freed_meanwhile());
		STAGE(ends());
	}
	puts("ALL SLEEPERS PASSED");
	return 0;
}
