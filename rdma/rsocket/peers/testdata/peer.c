/* A peer for tests: connects by rsockets, or takes one connection, and plays a scene.
 *
 *     rsocket-peer connect|listen ADDRESS PORT STEP...
 *
 * It succeeds if each step does. The steps are below, each with a number behind a colon where
 * it needs one. Bytes sent count up from 0, and so must those received. */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <rdma/rsocket.h>

static const char *step = "connecting";
static unsigned char sent, got;
static char buf[1 << 16];

static void fail(const char *why)
{
	fprintf(stderr, "%s: %s: %s\n", step, why, strerror(errno));
	exit(1);
}

static void check(ssize_t n)
{
	for (ssize_t i = 0; i < n; i++)
		if ((unsigned char)buf[i] != got++)
			fail("other bytes than were sent");
}

static long some(long n, long most) { return n < most ? n : most; }

static long put(int s, long n, int flags)
{
	n = some(n, sizeof buf);
	for (long i = 0; i < n; i++)
		buf[i] = sent + i;
	ssize_t r = rsend(s, buf, n, flags);
	if (r > 0)
		sent += r;
	return r;
}

static void send_all(int s, long n, long piece)
{
	for (long r; n > 0; n -= r)
		if ((r = put(s, some(n, piece), 0)) <= 0)
			fail("rsend");
}

static void recv_all(int s, long n, long piece)
{
	for (ssize_t r; n > 0; n -= r) {
		if ((r = rrecv(s, buf, some(n, some(piece, sizeof buf)), 0)) <= 0)
			fail("rrecv");
		check(r);
	}
}

/* both sends and receives n bytes at the same time. */
static void both(int s, long n)
{
	long in = n, out = n;

	rfcntl(s, F_SETFL, O_NONBLOCK);
	while (in > 0 || out > 0) {
		struct pollfd p = { s, (in > 0 ? POLLIN : 0) | (out > 0 ? POLLOUT : 0), 0 };
		ssize_t r = 0;

		if (rpoll(&p, 1, 1000) < 0)
			fail("rpoll");
		if (in > 0 && (r = rrecv(s, buf, some(in, sizeof buf), MSG_DONTWAIT)) > 0) {
			check(r);
			in -= r;
		}
		if (r == 0 && in > 0)
			fail("the end");
		if (r < 0 && errno != EAGAIN && errno != EWOULDBLOCK)
			fail("rrecv");
		if (out > 0 && (r = put(s, out, MSG_DONTWAIT)) > 0)
			out -= r;
		if (r < 0 && errno != EAGAIN && errno != EWOULDBLOCK)
			fail("rsend");
	}
	rfcntl(s, F_SETFL, 0);
}

static void keepalive(int s, int seconds)
{
	int on = 1;

	if (rsetsockopt(s, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on) || rsetsockopt(s, IPPROTO_TCP, TCP_KEEPIDLE, &seconds, sizeof seconds))
		fail("rsetsockopt");
}

static int lost;

/* gone waits for the loss of the connection, or its end. */
static void gone(int s)
{
	rfcntl(s, F_SETFL, O_NONBLOCK);
	while (!lost) {
		struct pollfd p = { s, POLLIN, 0 };

		if (rpoll(&p, 1, 1000) < 0)
			fail("rpoll");
		ssize_t r = rrecv(s, buf, sizeof buf, MSG_DONTWAIT);
		if (r > 0)
			fail("more bytes");
		lost = r == 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
	}
}

static void play(int s)
{
	char *colon = strchr(step, ':');
	long n = colon ? atol(colon + 1) : 0;
	int kind = colon ? colon - step : (int)strlen(step);

#define IS(name) (kind == sizeof name - 1 && !memcmp(step, name, kind))
	if (IS("send"))
		send_all(s, n, sizeof buf);
	else if (IS("bytes")) /* sends that many, one at a time */
		send_all(s, n, 1);
	else if (IS("recv"))
		recv_all(s, n, sizeof buf);
	else if (IS("slow")) /* receives that many, one at a time */
		recv_all(s, n, 1);
	else if (IS("both"))
		both(s, n);
	else if (IS("shut")) {
		if (rshutdown(s, SHUT_WR))
			fail("rshutdown");
	} else if (IS("eof")) {
		if (rrecv(s, buf, sizeof buf, 0) != 0)
			fail("not the end");
	} else if (IS("gone"))
		gone(s);
	else if (IS("sleep")) /* milliseconds */
		usleep(n * 1000);
	else if (IS("keep")) /* a keepalive every so many seconds */
		keepalive(s, n);
	else if (IS("told")) /* waits for the end of standard input */
		while (read(0, buf, sizeof buf) > 0)
			;
	else if (IS("die"))
		kill(getpid(), SIGKILL);
	else
		fail("unknown step");
}

int main(int argc, char **argv)
{
	struct addrinfo *to, hint = { .ai_socktype = SOCK_STREAM };

	if (argc < 4 || getaddrinfo(argv[2], argv[3], &hint, &to))
		fail("usage: rsocket-peer connect|listen ADDRESS PORT STEP...");
	int s = rsocket(to->ai_family, SOCK_STREAM, 0);
	if (s < 0)
		fail("rsocket");
	if (!strcmp(argv[1], "listen")) {
		int listener = s;
		if (rbind(s, to->ai_addr, to->ai_addrlen) || rlisten(s, 1))
			fail("rlisten");
		if ((s = raccept(listener, NULL, NULL)) < 0)
			fail("raccept");
	} else if (rconnect(s, to->ai_addr, to->ai_addrlen))
		fail("rconnect");
	for (char **a = argv + 4; *a; a++) {
		step = *a;
		play(s);
	}
	step = "closing";
	if (rshutdown(s, SHUT_RDWR) && errno != ENOTCONN && !lost)
		fail("rshutdown");
	rclose(s);
	return 0;
}
