/* Measures waits: a ping-pong of 64-byte messages between two processes that sleep until a
 * message arrives, over the provider, with its dispatcher or with a notification object, or over
 * plain TCP sockets. Prints the time of a round trip, and context switches and processor time of
 * this side. */
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common.h"

#define SIZE 64
#define WARM 2000

static int tell[2], hear[2]; /* what the two processes agree about */
static int sent;
static DAT_CNO_HANDLE cno; /* the wait is for this, if there is one */

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

static double seconds(struct timeval t) { return t.tv_sec * 1e6 + t.tv_usec; }

static double began;
static struct rusage before;

static void start(void)
{
	getrusage(RUSAGE_SELF, &before);
	began = now();
}

static void report(const char *what, int n)
{
	double took = now() - began;
	struct rusage r;
	getrusage(RUSAGE_SELF, &r);
	printf("%-8s %7.2f us, %5.2f switches (%.2f involuntary), %6.2f us of CPU\n", what, took / n,
	       (double)(r.ru_nvcsw + r.ru_nivcsw - before.ru_nvcsw - before.ru_nivcsw) / n, (double)(r.ru_nivcsw - before.ru_nivcsw) / n,
	       (seconds(r.ru_utime) + seconds(r.ru_stime) - seconds(before.ru_utime) - seconds(before.ru_stime)) / n);
	fflush(stdout);
}

/* wait_event waits for the next completion. */
static void wait_event(DAT_EVD_HANDLE evd, DAT_EVENT *event)
{
	DAT_EVD_HANDLE who;
	DAT_COUNT more;
	if (cno == NULL) {
		OK(dat_evd_wait(evd, DAT_TIMEOUT_INFINITE, 1, event, &more));
		return;
	}
	while (DAT_GET_TYPE(dat_evd_dequeue(evd, event)) == DAT_QUEUE_EMPTY)
		OK(dat_cno_wait(cno, DAT_TIMEOUT_INFINITE, &who));
}

/* once is one message in either direction. */
static void once(int first, struct end *e, int fd)
{
	DAT_EVENT event;
	DAT_LMR_TRIPLET from = local(0, SIZE), to = local(4096, SIZE);
	for (int turn = 0; turn < 2; turn++) {
		if (turn == first) {
			if (e == NULL)
				TRUE_(write(fd, memory, SIZE) == SIZE);
			else
				/* The reference provider frees the slots of suppressed requests when a later one is reported. */
				OK(dat_ep_post_send(e->ep, 1, &from, number(1), ++sent % 8 ? DAT_COMPLETION_SUPPRESS_FLAG : DAT_COMPLETION_DEFAULT_FLAG));
		} else if (e == NULL) {
			TRUE_(recv(fd, memory, SIZE, MSG_WAITALL) == SIZE);
		} else {
			do {
				wait_event(e->dto, &event);
				TRUE_(event.event_data.dto_completion_event_data.status == DAT_DTO_SUCCESS);
			} while (event.event_data.dto_completion_event_data.user_cookie.as_64 != number(2).as_64);
			OK(dat_ep_post_recv(e->ep, 1, &to, number(2), DAT_COMPLETION_DEFAULT_FLAG));
		}
	}
}

static void agree(void)
{
	char b = 0;
	TRUE_(write(tell[1], &b, 1) == 1 && read(hear[0], &b, 1) == 1);
}

static void run(const char *what, int parent, struct end *e, int fd, int n)
{
	agree();
	for (int i = 0; i < WARM; i++)
		once(!parent, e, fd);
	start();
	for (int i = 0; i < n; i++)
		once(!parent, e, fd);
	if (parent)
		report(what, n);
	agree();
}

static void sockets(int parent, int n)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof at;
	int one = 1, fd = socket(AF_INET, SOCK_STREAM, 0);
	if (parent) {
		TRUE_(bind(fd, (struct sockaddr *)&at, sizeof at) == 0 && listen(fd, 1) == 0);
		TRUE_(getsockname(fd, (struct sockaddr *)&at, &size) == 0);
		TRUE_(write(tell[1], &at.sin_port, sizeof at.sin_port) == sizeof at.sin_port);
		fd = accept(fd, NULL, NULL);
	} else {
		TRUE_(read(hear[0], &at.sin_port, sizeof at.sin_port) == sizeof at.sin_port);
		TRUE_(connect(fd, (struct sockaddr *)&at, sizeof at) == 0);
	}
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	run("sockets", parent, NULL, fd, n);
	close(fd);
}

static void provider(char *name, int parent, int n)
{
	DAT_REGION_DESCRIPTION region = {.for_va = memory};
	DAT_VLEN size;
	DAT_VADDR at;
	DAT_PSP_HANDLE psp;
	async = DAT_HANDLE_NULL;
	OK(dat_ia_open(name, 8, &async, &ia));
	OK(dat_pz_create(ia, &pz));
	OK(dat_evd_create(ia, 16, DAT_HANDLE_NULL, DAT_EVD_CR_FLAG, &cr));
	make_end(&one);
	OK(dat_lmr_create(ia, DAT_MEM_TYPE_VIRTUAL, region, sizeof memory, pz, DAT_MEM_PRIV_ALL_FLAG, DAT_VA_TYPE_VA, &lmr, &lmr_context,
			  &rmr_context, &size, &at));
	DAT_LMR_TRIPLET to = local(4096, SIZE);
	OK(dat_ep_post_recv(one.ep, 1, &to, number(2), DAT_COMPLETION_DEFAULT_FLAG));
	if (parent) {
		OK(dat_psp_create(ia, QUAL, cr, DAT_PSP_CONSUMER_FLAG, &psp));
		agree();
		DAT_EVENT event = next(cr, DAT_CONNECTION_REQUEST_EVENT);
		OK(dat_cr_accept(event.event_data.cr_arrival_event_data.cr_handle, one.ep, 0, NULL));
	} else {
		agree();
		OK(dat_ep_connect(one.ep, address(), QUAL, DAT_TIMEOUT_INFINITE, 0, NULL, DAT_QOS_BEST_EFFORT, DAT_CONNECT_DEFAULT_FLAG));
	}
	next(one.conn, DAT_CONNECTION_EVENT_ESTABLISHED);
	run(name, parent, &one, -1, n);
	if (getenv("PINGPONG_NO_CNO") == NULL) {
		OK(dat_cno_create(ia, DAT_OS_WAIT_PROXY_AGENT_NULL, &cno));
		OK(dat_evd_modify_cno(one.dto, cno));
		run("cno", parent, &one, -1, n);
		cno = NULL;
	}
	OK(dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG));
}

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[2]) : 20000, rounds = argc > 3 ? atoi(argv[3]) : 1;
	TRUE_(argc > 1 && pipe(tell) == 0 && pipe(hear) == 0);
	int parent = fork() != 0;
	if (!parent) {
		int t[2] = {hear[0], hear[1]};
		memcpy(hear, tell, sizeof t);
		memcpy(tell, t, sizeof t);
	}
	close(tell[0]), close(hear[1]); /* so that neither waits for the other when that has failed */
	for (int i = 0; i < rounds; i++) {
		if (i == 0 || strcmp(argv[1], "sockets") == 0)
			sockets(parent, n);
		if (strcmp(argv[1], "sockets") != 0)
			provider(argv[1], parent, n);
	}
	if (parent)
		wait(NULL);
	return 0;
}
