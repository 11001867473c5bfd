/* The library takes completions out of a dispatcher before the program asks for them. Whatever
 * the program calls, it gets each completion once, in order, and they count as queued. The
 * second argument says that a write is complete when its post returns. The third is a seed. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"

enum { DEEP = 64 };

static int at_once;
static uint64_t posted, taken; /* the cookies from taken to posted are queued or in flight */

static DAT_CNO_HANDLE cno;

/* settle posts writes until a write completes at once, on paths where writes do that. Before, the
 * thread that has reported the connection may still be busy with it, and executes the writes. */
static void settle(DAT_EP_HANDLE ep, DAT_EVD_HANDLE evd)
{
	DAT_EVENT event;
	DAT_COUNT more;
	DAT_LMR_TRIPLET from = local(0, 8);
	DAT_RMR_TRIPLET to = far(4096, 8);
	for (int i = 0; i < 1000; i++) {
		OK(dat_ep_post_rdma_write(ep, 1, &from, number(0), &to, DAT_COMPLETION_DEFAULT_FLAG));
		if (dat_evd_wait(evd, 0, 1, &event, &more) == DAT_SUCCESS)
			return;
		next(evd, DAT_DTO_COMPLETION_EVENT);
		if (!at_once)
			return;
	}
}

/* connected makes an endpoint for DEEP requests, which complete at evd, and connects it. Events of
 * the connection go to conn. */
static DAT_EVD_HANDLE conn;

static DAT_EP_HANDLE connected(DAT_EVD_HANDLE evd)
{
	struct end peer;
	make_end(&peer);
	OK(dat_evd_create(ia, 4, DAT_HANDLE_NULL, DAT_EVD_CONNECTION_FLAG, &conn));
	DAT_EP_PARAM param;
	DAT_EP_HANDLE ep;
	DAT_PSP_HANDLE psp;
	OK(dat_ep_query(one.ep, DAT_EP_FIELD_ALL, &param));
	param.ep_attr.max_request_dtos = DEEP;
	OK(dat_ep_create(ia, pz, evd, evd, conn, &param.ep_attr, &ep));
	OK(dat_psp_create(ia, QUAL, cr, DAT_PSP_CONSUMER_FLAG, &psp));
	OK(dat_ep_connect(ep, address(), QUAL, DAT_TIMEOUT_INFINITE, 0, NULL, DAT_QOS_BEST_EFFORT, DAT_CONNECT_DEFAULT_FLAG));
	OK(dat_cr_accept(next(cr, DAT_CONNECTION_REQUEST_EVENT).event_data.cr_arrival_event_data.cr_handle, peer.ep, 0, NULL));
	next(conn, DAT_CONNECTION_EVENT_ESTABLISHED);
	next(peer.conn, DAT_CONNECTION_EVENT_ESTABLISHED);
	OK(dat_psp_free(psp));
	settle(ep, evd);
	return ep;
}

static void post(DAT_EP_HANDLE ep, uint64_t cookie)
{
	DAT_LMR_TRIPLET from = local(0, 8);
	DAT_RMR_TRIPLET to = far(4096, 8);
	OK(dat_ep_post_rdma_write(ep, 1, &from, number(cookie), &to, DAT_COMPLETION_DEFAULT_FLAG));
}

/* is_next checks that an event is the next in order. */
static void is_next(DAT_EVD_HANDLE evd, const DAT_EVENT *event)
{
	const DAT_DTO_COMPLETION_EVENT_DATA *dto = &event->event_data.dto_completion_event_data;
	TRUE_(event->event_number == DAT_DTO_COMPLETION_EVENT && event->evd_handle == evd && dto->status == DAT_DTO_SUCCESS);
	if (dto->user_cookie.as_64 != taken) {
		printf("cookie %llu, want %llu\n", (unsigned long long)dto->user_cookie.as_64, (unsigned long long)taken);
		exit(1);
	}
	TRUE_(taken < posted);
	taken++;
}

static void dequeue(DAT_EVD_HANDLE evd)
{
	DAT_EVENT event;
	DAT_RETURN ret;
	while ((ret = dat_evd_dequeue(evd, &event)) != DAT_SUCCESS) {
		WANT(ret, DAT_QUEUE_EMPTY);
		if (posted == taken)
			return;
		TRUE_(!at_once); /* there it would be queued */
	}
	is_next(evd, &event);
}

static void wait_for(DAT_EVD_HANDLE evd, int threshold)
{
	DAT_EVENT event;
	DAT_COUNT more = -1;
	int queued = posted - taken;
	if (queued < threshold) {
		WANT(dat_evd_wait(evd, 0, threshold, &event, &more), DAT_TIMEOUT_EXPIRED);
		TRUE_(at_once ? more == queued : more <= queued);
		return;
	}
	OK(dat_evd_wait(evd, at_once ? 0 : 10000000, threshold, &event, &more));
	TRUE_(more <= queued - 1 && more >= threshold - 1); /* more counts the events that have arrived */
	is_next(evd, &event);
}

static void empty(DAT_EVD_HANDLE evd)
{
	while (taken < posted)
		dequeue(evd);
	dequeue(evd);
}

/* Every call that concerns the queue of a dispatcher, in a random order. */
static void any_order(DAT_EP_HANDLE ep, DAT_EVD_HANDLE evd, int steps)
{
	DAT_EVENT event;
	DAT_COUNT more;
	DAT_EVD_HANDLE who;
	int attached = 0;
	for (int i = 0; i < steps; i++) {
		int room = DEEP - (int)(posted - taken), what = rand() % 100;
		if (what < 45) {
			for (int n = rand() % (room < 4 || what < 5 ? room + 1 : 4); n > 0; n--)
				post(ep, posted++);
		} else if (what < 70) {
			dequeue(evd);
		} else if (what < 82) {
			wait_for(evd, 1);
		} else if (what < 88) {
			wait_for(evd, 1 + rand() % 20);
		} else if (what < 91) {
			/* A size below the number of queued events is refused. */
			if (at_once && posted - taken > 1)
				WANT(dat_evd_resize(evd, posted - taken - 1), DAT_INVALID_STATE);
			OK(dat_evd_resize(evd, DEEP + rand() % 100));
		} else if (what < 94) {
			OK(dat_evd_set_unwaitable(evd));
			WANT(dat_evd_wait(evd, 0, 1, &event, &more), DAT_INVALID_STATE);
			dequeue(evd);
			WANT(dat_evd_wait(evd, 0, 1, &event, &more), DAT_INVALID_STATE);
			OK(dat_evd_clear_unwaitable(evd));
		} else if (what < 97) {
			WANT(dat_evd_free(evd), DAT_INVALID_STATE);
			OK(what & 1 ? dat_evd_disable(evd) : dat_evd_enable(evd));
		} else if (attached) {
			OK(dat_evd_enable(evd));
			empty(evd);
			for (int n = 0; n < 3; n++)
				post(ep, posted++);
			/* The events trigger the CNO, and again until all are taken. */
			for (int n = 0; n < 3; n++) {
				OK(dat_cno_wait(cno, 10000000, &who));
				TRUE_(who == evd);
				dequeue(evd);
			}
			OK(dat_evd_modify_cno(evd, DAT_HANDLE_NULL));
			attached = 0;
		} else {
			/* Queued events trigger the CNO. An empty queue does not. */
			OK(dat_evd_enable(evd));
			while (dat_cno_wait(cno, 0, &who) == DAT_SUCCESS)
				; /* an earlier trigger */
			OK(dat_evd_modify_cno(evd, cno));
			if (posted > taken) {
				OK(dat_cno_wait(cno, 10000000, &who));
				TRUE_(who == evd);
			} else {
				WANT(dat_cno_wait(cno, 0, &who), DAT_QUEUE_EMPTY);
			}
			attached = 1;
		}
	}
	OK(dat_evd_modify_cno(evd, DAT_HANDLE_NULL));
	empty(evd);
}

/* A thread waits for more events than are queued. No other thread may take events then. The
 * waiter gets the queued events and the new event. */
struct waiter {
	DAT_EVD_HANDLE evd;
	DAT_EVENT event;
	DAT_COUNT more;
	DAT_RETURN ret;
};

static void *wait_three(void *p)
{
	struct waiter *w = p;
	w->ret = dat_evd_wait(w->evd, 10000000, 3, &w->event, &w->more);
	return NULL;
}

static void one_waiter(DAT_EP_HANDLE ep, DAT_EVD_HANDLE evd)
{
	struct waiter w = {.evd = evd};
	pthread_t t;
	DAT_EVENT event;
	DAT_COUNT more;
	DAT_EVD_PARAM param;
	post(ep, posted++);
	post(ep, posted++);
	TRUE_(pthread_create(&t, NULL, wait_three, &w) == 0);
	/* Until the other thread waits, these waits take nothing, because of their threshold. */
	while (DAT_GET_TYPE(dat_evd_wait(evd, 0, 3, &event, &more)) != DAT_INVALID_STATE)
		;
	WANT(dat_evd_dequeue(evd, &event), DAT_INVALID_STATE);
	WANT(dat_evd_wait(evd, 0, 1, &event, &more), DAT_INVALID_STATE);
	WANT(dat_evd_resize(evd, 200), DAT_INVALID_STATE);
	OK(dat_evd_query(evd, DAT_EVD_FIELD_ALL, &param));
	post(ep, posted++);
	pthread_join(t, NULL);
	OK(w.ret);
	TRUE_(w.more == 2);
	is_next(evd, &w.event);
	if (at_once)
		wait_for(evd, 2);
	empty(evd);
}

/* One thread posts, and another waits. It gets every event. */
enum { HANDED = 3000 };
static uint64_t handed;

static void *receive(void *evd)
{
	for (uint64_t i = 1; i <= HANDED; i++) {
		DAT_EVENT event;
		DAT_COUNT more;
		OK(dat_evd_wait(evd, 10000000, 1, &event, &more));
		TRUE_(more == 0 && event.event_data.dto_completion_event_data.user_cookie.as_64 == i);
		__atomic_store_n(&handed, i, __ATOMIC_SEQ_CST);
	}
	return NULL;
}

static void hand_over(DAT_EP_HANDLE ep, DAT_EVD_HANDLE evd)
{
	pthread_t t;
	handed = 0;
	TRUE_(pthread_create(&t, NULL, receive, evd) == 0);
	for (uint64_t i = 1; i <= HANDED; i++) {
		post(ep, i);
		while (__atomic_load_n(&handed, __ATOMIC_SEQ_CST) < i)
			sched_yield();
	}
	pthread_join(t, NULL);
}

/* Many threads take events, while the queue is resized and gets a CNO. Each event comes once, and
 * each thread sees events in order. */
enum { TAKERS = 4, MANY = 20000 };
static unsigned char seen[MANY];
static uint64_t total, many;
static DAT_EVD_HANDLE common;

/* once notes an event that a thread has taken. last is the cookie of its previous event. */
static void once(const DAT_EVENT *event, uint64_t *last)
{
	uint64_t cookie = event->event_data.dto_completion_event_data.user_cookie.as_64;
	TRUE_(cookie > *last && cookie <= many);
	TRUE_(__atomic_fetch_add(&seen[cookie - 1], 1, __ATOMIC_SEQ_CST) == 0);
	*last = cookie;
	__atomic_fetch_add(&total, 1, __ATOMIC_SEQ_CST);
}

static void *take(void *none)
{
	uint64_t last = 0;
	(void)none;
	while (__atomic_load_n(&total, __ATOMIC_SEQ_CST) < many) {
		DAT_EVENT event;
		DAT_RETURN ret = dat_evd_dequeue(common, &event);
		if (DAT_GET_TYPE(ret) == DAT_QUEUE_EMPTY || DAT_GET_TYPE(ret) == DAT_INVALID_STATE)
			continue; /* the queue is empty, or the main thread waits */
		OK(ret);
		once(&event, &last);
	}
	return NULL;
}

static void many_takers(DAT_EP_HANDLE ep, DAT_EVD_HANDLE evd, int takers, uint64_t n, uint64_t at_a_time)
{
	pthread_t t[TAKERS];
	DAT_EVENT event;
	DAT_COUNT more;
	uint64_t last = 0;
	memset(seen, 0, sizeof seen);
	total = 0, many = n, common = evd;
	for (int i = 0; i < takers; i++)
		TRUE_(pthread_create(&t[i], NULL, take, NULL) == 0);
	for (uint64_t i = 1; i <= many; i++) {
		while (i - __atomic_load_n(&total, __ATOMIC_SEQ_CST) > at_a_time)
			sched_yield();
		post(ep, i);
		switch (i % 64) {
		case 7:
			OK(dat_evd_resize(evd, DEEP + i % 5));
			break;
		case 23:
			if (dat_evd_wait(evd, 0, 9, &event, &more) == DAT_SUCCESS)
				once(&event, &last);
			break;
		case 25:
			if (dat_evd_wait(evd, 0, 1, &event, &more) == DAT_SUCCESS)
				once(&event, &last);
			break;
		case 41:
			OK(dat_evd_modify_cno(evd, cno));
			break;
		case 43:
			OK(dat_evd_modify_cno(evd, DAT_HANDLE_NULL));
			break;
		}
	}
	for (int i = 0; i < takers; i++)
		pthread_join(t[i], NULL);
	TRUE_(total == many);
	OK(dat_evd_modify_cno(evd, DAT_HANDLE_NULL));
	WANT(dat_evd_dequeue(evd, &event), DAT_QUEUE_EMPTY);
}

/* A child process gets no event of its parent. */
static void forks(DAT_EP_HANDLE ep, DAT_EVD_HANDLE evd)
{
	DAT_EVENT event;
	DAT_COUNT more;
	int status = 0;
	post(ep, posted++);
	pid_t child = fork();
	if (child == 0)
		_exit(DAT_GET_TYPE(dat_evd_dequeue(evd, &event)) == DAT_INTERNAL_ERROR &&
		      DAT_GET_TYPE(dat_evd_wait(evd, 0, 1, &event, &more)) == DAT_INTERNAL_ERROR ? 7 : 1);
	waitpid(child, &status, 0);
	TRUE_(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	empty(evd);
}

/* Events of other operations than writes arrive unchanged, also when the library has taken them
 * ahead. */
static void kinds(DAT_EP_HANDLE ep, DAT_EVD_HANDLE evd)
{
	DAT_RMR_HANDLE rmr;
	DAT_RMR_CONTEXT key;
	DAT_LMR_TRIPLET window = local(8192, 64), from = local(40960, 8);
	DAT_RMR_TRIPLET at = far(32768, 8);
	DAT_EVENT event;
	uint64_t *there = (uint64_t *)(memory + 32768);
	*there = 5;
	OK(dat_rmr_create(pz, &rmr));
	OK(dat_rmr_bind(rmr, lmr, &window, DAT_MEM_PRIV_REMOTE_READ_FLAG, DAT_VA_TYPE_VA, ep, number(71), DAT_COMPLETION_DEFAULT_FLAG, &key));
	OK(dat_ib_post_fetch_and_add(ep, 2, &from, number(72), &at, DAT_COMPLETION_DEFAULT_FLAG));
	OK(dat_ep_post_rdma_read(ep, 1, &from, number(73), &at, DAT_COMPLETION_DEFAULT_FLAG));
	memset(&event, 0xff, sizeof event);
	while (dat_evd_dequeue(evd, &event) != DAT_SUCCESS)
		;
	DAT_RMR_BIND_COMPLETION_EVENT_DATA *bind = &event.event_data.rmr_completion_event_data;
	TRUE_(event.event_number == DAT_RMR_BIND_COMPLETION_EVENT && event.evd_handle == evd && bind->rmr_handle == rmr &&
	      bind->user_cookie.as_64 == 71 && bind->status == DAT_RMR_BIND_SUCCESS);
	while (dat_evd_dequeue(evd, &event) != DAT_SUCCESS)
		;
	DAT_DTO_COMPLETION_EVENT_DATA *dto = &event.event_data.dto_completion_event_data;
	DAT_IB_EXTENSION_EVENT_DATA *x = (void *)event.event_extension_data;
	TRUE_((int)event.event_number == DAT_IB_DTO_EVENT && x->type == DAT_IB_FETCH_AND_ADD && dto->user_cookie.as_64 == 72 &&
	      dto->ep_handle == ep && dto->status == DAT_DTO_SUCCESS);
	while (dat_evd_dequeue(evd, &event) != DAT_SUCCESS)
		;
	TRUE_(event.event_number == DAT_DTO_COMPLETION_EVENT && dto->operation == DAT_DTO_RDMA_READ && dto->user_cookie.as_64 == 73 &&
	      dto->transfered_length == 8 && dto->ep_handle == ep && *(uint64_t *)(memory + 40960) == 7);
	at.rmr_context = key ^ 0x5555; /* no memory has this key */
	OK(dat_ep_post_rdma_read(ep, 1, &from, number(74), &at, DAT_COMPLETION_DEFAULT_FLAG));
	OK(dat_ep_post_rdma_read(ep, 1, &from, number(75), &at, DAT_COMPLETION_DEFAULT_FLAG));
	for (int i = 74; i <= 75; i++) {
		while (dat_evd_dequeue(evd, &event) != DAT_SUCCESS)
			;
		TRUE_((int)dto->user_cookie.as_64 == i && dto->status != DAT_DTO_SUCCESS && dto->ep_handle == ep);
	}
	next(conn, DAT_CONNECTION_EVENT_BROKEN);
}

/* Events that are queued when their endpoint is freed still arrive. Events that are queued when
 * their dispatcher is freed do not. */
static void freed(DAT_EP_HANDLE ep, DAT_EVD_HANDLE evd)
{
	DAT_EVENT event;
	for (int i = 0; i < 6; i++)
		post(ep, posted++);
	wait_for(evd, 6); /* so that all are complete */
	dequeue(evd);
	WANT(dat_evd_free(evd), DAT_INVALID_STATE);
	OK(dat_ep_free(ep));
	dequeue(evd);
	wait_for(evd, 1);
	TRUE_(posted - taken == 2);
	OK(dat_evd_free(evd));
	WANT(dat_evd_dequeue(evd, &event), DAT_INVALID_HANDLE);
}

/* A dispatcher that is too small overflows, and the adapter reports that. */
static void overflows(DAT_EP_HANDLE ep, DAT_EVD_HANDLE evd, int qlen)
{
	DAT_EVENT event;
	DAT_COUNT more;
	for (int i = 0; i < qlen; i++)
		post(ep, i);
	WANT(dat_evd_wait(async, 0, 1, &event, &more), DAT_TIMEOUT_EXPIRED);
	for (int i = qlen; i < DEEP; i++) {
		DAT_LMR_TRIPLET from = local(0, 8);
		DAT_RMR_TRIPLET to = far(4096, 8);
		dat_ep_post_rdma_write(ep, 1, &from, number(i), &to, DAT_COMPLETION_DEFAULT_FLAG);
	}
	next(async, DAT_ASYNC_ERROR_EVD_OVERFLOW);
	for (int i = 0; i < qlen; i++) {
		OK(dat_evd_dequeue(evd, &event));
		TRUE_(event.event_data.dto_completion_event_data.user_cookie.as_64 == (uint64_t)i);
	}
}

int main(int argc, char **argv)
{
	DAT_EVD_HANDLE evd;
	DAT_EP_HANDLE ep;
	if (argc != 4)
		return 2;
	at_once = atoi(argv[2]);
	srand(atoi(argv[3]));
	both_ends(argv[1]);
	OK(dat_cno_create(ia, DAT_OS_WAIT_PROXY_AGENT_NULL, &cno));
	OK(dat_evd_create(ia, DEEP, DAT_HANDLE_NULL, DAT_EVD_DTO_FLAG | DAT_EVD_RMR_BIND_FLAG, &evd));
	ep = connected(evd);
	any_order(ep, evd, 20000);
	one_waiter(ep, evd);
	hand_over(ep, evd);
	many_takers(ep, evd, TAKERS, MANY, DEEP);
	many_takers(ep, evd, 2, MANY / 10, 1);
	forks(ep, evd);
	freed(ep, evd);
	OK(dat_evd_create(ia, DEEP, DAT_HANDLE_NULL, DAT_EVD_DTO_FLAG | DAT_EVD_RMR_BIND_FLAG, &evd));
	kinds(connected(evd), evd);
	if (at_once) {
		OK(dat_evd_create(ia, 8, DAT_HANDLE_NULL, DAT_EVD_DTO_FLAG, &evd));
		overflows(connected(evd), evd, 8);
	}
	OK(dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG));
	puts("ALL TRAYS PASSED");
	return 0;
}
