/* The calls that no stock program makes, through the registry. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <poll.h>
#include <unistd.h>

#include "common.h"
#include <dat2/dat_registry.h>

static volatile int enough; /* for the threads of a test */

static void contexts(void)
{
	DAT_CONTEXT c = {.as_64 = 0x1122334455667788ULL};
	OK(dat_set_consumer_context(one.ep, c));
	c.as_64 = 0;
	OK(dat_get_consumer_context(one.ep, &c));
	TRUE_(c.as_64 == 0x1122334455667788ULL);
	DAT_HANDLE_TYPE type;
	OK(dat_get_handle_type(one.ep, &type));
	TRUE_(type == DAT_HANDLE_TYPE_EP);
	OK(dat_get_handle_type(lmr, &type));
	TRUE_(type == DAT_HANDLE_TYPE_LMR);
}

static void dispatchers(void)
{
	DAT_EVD_HANDLE evd;
	DAT_CNO_HANDLE cno;
	DAT_EVD_HANDLE who;
	DAT_EVD_PARAM param;
	DAT_EVENT event = {.event_number = DAT_SOFTWARE_EVENT}, got;
	DAT_COUNT more;
	OK(dat_evd_create(ia, 2, DAT_HANDLE_NULL, DAT_EVD_SOFTWARE_FLAG, &evd));
	WANT(dat_evd_dequeue(evd, &got), DAT_QUEUE_EMPTY);
	WANT(dat_evd_dequeue(evd, &got), DAT_QUEUE_EMPTY);
	WANT(dat_evd_wait(evd, 0, 1, &got, &more), DAT_TIMEOUT_EXPIRED);
	WANT(dat_evd_wait(evd, 1000, 1, &got, &more), DAT_TIMEOUT_EXPIRED);
	event.event_data.software_event_data.pointer = memory;
	OK(dat_evd_post_se(evd, &event));
	OK(dat_evd_post_se(evd, &event));
	WANT(dat_evd_post_se(evd, &event), DAT_QUEUE_FULL);
	OK(dat_evd_resize(evd, 10));
	OK(dat_evd_post_se(evd, &event));
	OK(dat_evd_wait(evd, 0, 2, &got, &more));
	TRUE_(more == 2 && got.event_data.software_event_data.pointer == memory);
	OK(dat_evd_dequeue(evd, &got));
	OK(dat_evd_query(evd, DAT_EVD_FIELD_ALL, &param));
	TRUE_(param.ia_handle == ia && param.evd_qlen >= 10 && param.evd_flags == DAT_EVD_SOFTWARE_FLAG && param.cno_handle == NULL);
	OK(dat_evd_set_unwaitable(evd));
	WANT(dat_evd_wait(evd, 0, 1, &got, &more), DAT_INVALID_STATE);
	OK(dat_evd_clear_unwaitable(evd));
	OK(dat_cno_create(ia, DAT_OS_WAIT_PROXY_AGENT_NULL, &cno));
	OK(dat_evd_modify_cno(evd, cno));
	OK(dat_cno_wait(cno, 1000000, &who));
	TRUE_(who == evd);
	OK(dat_evd_dequeue(evd, &got));
	OK(dat_evd_disable(evd));
	OK(dat_evd_post_se(evd, &event));
	WANT(dat_cno_wait(cno, 1000, &who), DAT_QUEUE_EMPTY);
	OK(dat_evd_enable(evd));
	OK(dat_cno_wait(cno, 1000000, &who));
	WANT(dat_cno_free(cno), DAT_INVALID_STATE);
	OK(dat_evd_dequeue(evd, &got)); /* also beside a notification object */
	WANT(dat_evd_dequeue(evd, &got), DAT_QUEUE_EMPTY);
	OK(dat_evd_free(evd));
	OK(dat_cno_free(cno));
	WANT(dat_evd_query(evd, DAT_EVD_FIELD_ALL, &param), DAT_INVALID_HANDLE);
	WANT(dat_evd_dequeue(evd, &got), DAT_INVALID_HANDLE);
}

static int called[2];

static void agent(void *data, DAT_EVD_HANDLE evd)
{
	char b = evd != NULL;
	TRUE_(write(((int *)data)[1], &b, 1) == 1);
}

/* An agent runs on a thread that C has not made. */
static void agents(void)
{
	DAT_CNO_HANDLE cno;
	DAT_EVD_HANDLE evd;
	DAT_CNO_PARAM param;
	DAT_EVENT event = {.event_number = DAT_SOFTWARE_EVENT};
	DAT_OS_WAIT_PROXY_AGENT a = {called, agent};
	char b = 0;
	TRUE_(pipe(called) == 0);
	OK(dat_cno_create(ia, a, &cno));
	OK(dat_cno_query(cno, DAT_CNO_FIELD_ALL, &param));
	TRUE_(param.ia_handle == ia && param.proxy_type == DAT_PROXY_TYPE_AGENT && param.proxy.agent.proxy_agent_func == agent);
	OK(dat_evd_create(ia, 2, cno, DAT_EVD_SOFTWARE_FLAG, &evd));
	OK(dat_evd_post_se(evd, &event));
	TRUE_(read(called[0], &b, 1) == 1 && b == 1);
	OK(dat_cno_modify_agent(cno, DAT_OS_WAIT_PROXY_AGENT_NULL));
	OK(dat_evd_free(evd));
	OK(dat_cno_free(cno));
}

static void endpoints(void)
{
	DAT_EP_PARAM param;
	DAT_EP_HANDLE ep;
	OK(dat_ep_query(one.ep, DAT_EP_FIELD_ALL, &param));
	TRUE_(param.ia_handle == ia && param.ep_state == DAT_EP_STATE_CONNECTED && param.pz_handle == pz && param.recv_evd_handle == one.dto &&
	      param.connect_evd_handle == one.conn && param.remote_port_qual == QUAL && param.local_ia_address_ptr != NULL &&
	      param.remote_ia_address_ptr != NULL && param.ep_attr.max_recv_iov >= 8);
	OK(dat_ep_create(ia, DAT_HANDLE_NULL, DAT_HANDLE_NULL, DAT_HANDLE_NULL, DAT_HANDLE_NULL, NULL, &ep));
	param.ep_attr.max_recv_dtos = 100;
	OK(dat_ep_modify(ep, DAT_EP_FIELD_PZ_HANDLE | DAT_EP_FIELD_RECV_EVD_HANDLE | DAT_EP_FIELD_EP_ATTR_MAX_RECV_DTOS, &param));
	WANT(dat_ep_modify(ep, DAT_EP_FIELD_SRQ_HANDLE, &param), DAT_INVALID_PARAMETER);
	OK(dat_ep_query(ep, DAT_EP_FIELD_ALL, &param));
	TRUE_(param.pz_handle == pz && param.recv_evd_handle == one.dto && param.connect_evd_handle == NULL && param.ep_attr.max_recv_dtos == 100);
	OK(dat_ep_free(ep));
	WANT(dat_ep_free(ep), DAT_INVALID_HANDLE);
	DAT_COUNT a = -1, b = -1;
	OK(dat_ep_recv_query(one.ep, &a, &b));
	TRUE_(a == 0 && b == 0);
}

static void windows(void)
{
	DAT_RMR_HANDLE rmr;
	DAT_RMR_PARAM param;
	DAT_RMR_CONTEXT key;
	DAT_LMR_TRIPLET from = local(0, 100), to = local(4096, 1000);
	OK(dat_rmr_create(pz, &rmr));
	DAT_RMR_COOKIE cookie = {.as_64 = 77};
	OK(dat_rmr_bind(rmr, lmr, &to, DAT_MEM_PRIV_REMOTE_WRITE_FLAG, DAT_VA_TYPE_VA, two.ep, cookie, DAT_COMPLETION_DEFAULT_FLAG, &key));
	DAT_EVENT event = next(two.dto, DAT_RMR_BIND_COMPLETION_EVENT);
	TRUE_(event.event_data.rmr_completion_event_data.rmr_handle == rmr && event.event_data.rmr_completion_event_data.user_cookie.as_64 == 77);
	OK(dat_rmr_query(rmr, DAT_RMR_FIELD_ALL, &param));
	TRUE_(param.ia_handle == ia && param.pz_handle == pz && param.rmr_context == key && param.lmr_triplet.segment_length == 1000 &&
	      param.lmr_triplet.virtual_address == to.virtual_address);
	WANT(dat_lmr_free(lmr), DAT_INVALID_STATE);
	DAT_RMR_TRIPLET at = {.virtual_address = to.virtual_address + 8, .segment_length = 100, .rmr_context = key};
	memset(memory, 'w', 100);
	OK(dat_ep_post_rdma_write(one.ep, 1, &from, number(1), &at, DAT_COMPLETION_DEFAULT_FLAG));
	event = next(one.dto, DAT_DTO_COMPLETION_EVENT);
	DAT_DTO_COMPLETION_EVENT_DATA *dto = &event.event_data.dto_completion_event_data;
	TRUE_(dto->status == DAT_DTO_SUCCESS && dto->ep_handle == one.ep && dto->user_cookie.as_64 == 1 && dto->transfered_length == 100 &&
	      dto->operation == DAT_DTO_RDMA_WRITE);
	while (((volatile char *)memory)[4096 + 8 + 99] != 'w')
		; /* its last byte is written last */
	TRUE_(memcmp(memory + 4096 + 8, memory, 100) == 0);
	to.segment_length = 0;
	OK(dat_rmr_bind(rmr, lmr, &to, 0, DAT_VA_TYPE_VA, two.ep, cookie, DAT_COMPLETION_DEFAULT_FLAG, &key));
	next(two.dto, DAT_RMR_BIND_COMPLETION_EVENT);
	OK(dat_rmr_free(rmr));
}

static void transfers(void)
{
	DAT_LMR_TRIPLET from[3] = {local(0, 10), local(100, 0), local(200, 20)}, to = local(8192, 64);
	uint64_t cookie = 0xDA71000000000001ULL; /* any 64 bits come back */
	for (int i = 0; i < 256; i++)
		memory[i] = i;
	OK(dat_ep_post_recv(two.ep, 1, &to, number(cookie), DAT_COMPLETION_DEFAULT_FLAG));
	DAT_BOOLEAN idle = DAT_TRUE;
	OK(dat_ep_get_status(two.ep, NULL, &idle, NULL));
	TRUE_(!idle);
	OK(dat_ep_post_send(one.ep, 3, from, number(~0ULL), DAT_COMPLETION_DEFAULT_FLAG));
	DAT_EVENT event = next(two.dto, DAT_DTO_COMPLETION_EVENT);
	DAT_DTO_COMPLETION_EVENT_DATA *dto = &event.event_data.dto_completion_event_data;
	TRUE_(dto->status == 0 && dto->ep_handle == two.ep && dto->user_cookie.as_64 == cookie && dto->transfered_length == 30 &&
	      dto->operation == DAT_DTO_RECEIVE);
	TRUE_(memcmp(memory + 8192, memory, 10) == 0 && memcmp(memory + 8202, memory + 200, 20) == 0);
	event = next(one.dto, DAT_DTO_COMPLETION_EVENT);
	TRUE_(dto->user_cookie.as_64 == ~0ULL && dto->operation == DAT_DTO_SEND);
	WANT(dat_ep_post_send(one.ep, 1000000, from, number(0), DAT_COMPLETION_DEFAULT_FLAG), DAT_INVALID_PARAMETER);
	WANT(dat_ep_post_send(one.ep, -1, from, number(0), DAT_COMPLETION_DEFAULT_FLAG), DAT_INVALID_PARAMETER);
	from[0].lmr_context ^= 0x5555;
	WANT(dat_ep_post_send(one.ep, 1, from, number(0), DAT_COMPLETION_DEFAULT_FLAG), DAT_PRIVILEGES_VIOLATION);
	OK(dat_lmr_sync_rdma_read(ia, &to, 1));
	DAT_LMR_TRIPLET many[1000];
	for (int i = 0; i < 1000; i++)
		many[i] = local(i, 64);
	OK(dat_lmr_sync_rdma_write(ia, many, 1000)); /* more than a post may have */
	many[999].lmr_context ^= 0x5555;
	WANT(dat_lmr_sync_rdma_write(ia, many, 1000), DAT_INVALID_PARAMETER);
	WANT(dat_lmr_sync_rdma_write(ia, many, 1ULL << 40), DAT_INVALID_PARAMETER);
	WANT(dat_lmr_sync_rdma_write(ia, NULL, 1), DAT_INVALID_PARAMETER);
	/* A suppressed write, and then one that is not suppressed. */
	DAT_RMR_TRIPLET at = far(16384, 30);
	to.segment_length = 30;
	OK(dat_ep_post_rdma_write(one.ep, 1, &to, number(5), &at, DAT_COMPLETION_SUPPRESS_FLAG));
	to = local(8192, 64);
	at = far(16384, 64);
	OK(dat_ep_post_rdma_read(one.ep, 1, &to, number(6), &at, DAT_COMPLETION_DEFAULT_FLAG));
	event = next(one.dto, DAT_DTO_COMPLETION_EVENT);
	TRUE_(dto->user_cookie.as_64 == 6 && dto->operation == DAT_DTO_RDMA_READ && dto->transfered_length == 64);
}

/* What a call returns whose argument is missing. */
#define INVALID(argument) (DAT_CLASS_ERROR | DAT_INVALID_PARAMETER | (argument))

static void atomics(void)
{
	uint64_t *there = (uint64_t *)(memory + 32768), *here = (uint64_t *)(memory + 40960);
	DAT_LMR_TRIPLET to = local(40960, 8);
	DAT_RMR_TRIPLET at = far(32768, 8);
	DAT_DTO_COOKIE c = number(9);
	*there = 40;
	OK(dat_ib_post_fetch_and_add(one.ep, 2, &to, c, &at, DAT_COMPLETION_DEFAULT_FLAG));
	DAT_EVENT event = next(one.dto, DAT_IB_DTO_EVENT);
	DAT_IB_EXTENSION_EVENT_DATA *x = (void *)event.event_extension_data;
	TRUE_(x->type == DAT_IB_FETCH_AND_ADD && *here == 40 && *there == 42);
	OK(dat_ib_post_cmp_and_swap(one.ep, 42, 7, &to, c, &at, DAT_COMPLETION_DEFAULT_FLAG));
	event = next(one.dto, DAT_IB_DTO_EVENT);
	TRUE_(x->type == DAT_IB_CMP_AND_SWAP && *here == 42 && *there == 7);
	TRUE_(dat_ib_post_fetch_and_add(one.ep, 2, NULL, c, &at, DAT_COMPLETION_DEFAULT_FLAG) == INVALID(DAT_INVALID_ARG3));
	TRUE_(dat_ib_post_fetch_and_add(one.ep, 2, &to, c, NULL, DAT_COMPLETION_DEFAULT_FLAG) == INVALID(DAT_INVALID_ARG5));
	TRUE_(dat_ib_post_cmp_and_swap(one.ep, 42, 7, NULL, c, &at, DAT_COMPLETION_DEFAULT_FLAG) == INVALID(DAT_INVALID_ARG4));
	TRUE_(dat_ib_post_cmp_and_swap(one.ep, 42, 7, &to, c, NULL, DAT_COMPLETION_DEFAULT_FLAG) == INVALID(DAT_INVALID_ARG6));
	TRUE_(DAT_EP_POST_RDMA_READ_TO_RMR(one.ep, NULL, c, &at, DAT_COMPLETION_DEFAULT_FLAG) == INVALID(DAT_INVALID_ARG2));
	TRUE_(DAT_EP_POST_RDMA_READ_TO_RMR(one.ep, &at, c, NULL, DAT_COMPLETION_DEFAULT_FLAG) == INVALID(DAT_INVALID_ARG4));
	WANT(dat_ib_post_send_ud(one.ep, 1, &to, NULL, c, DAT_COMPLETION_DEFAULT_FLAG), DAT_NOT_IMPLEMENTED);
}

/* A call with a handle of a freed object and another wrong argument tells the handle. */
static void freed_handles(char *name)
{
	DAT_EP_HANDLE ep;
	DAT_EVD_HANDLE evd;
	DAT_PZ_HANDLE zone;
	DAT_RMR_HANDLE rmr;
	DAT_CNO_HANDLE cno;
	DAT_LMR_HANDLE memory_of;
	DAT_LMR_CONTEXT lc;
	DAT_VLEN size;
	DAT_VADDR at;
	DAT_LMR_TRIPLET to = local(0, 8);
	DAT_REGION_DESCRIPTION region = {.for_va = memory};
	OK(dat_pz_create(ia, &zone));
	OK(dat_lmr_create(ia, DAT_MEM_TYPE_VIRTUAL, region, 8, zone, DAT_MEM_PRIV_ALL_FLAG, DAT_VA_TYPE_VA, &memory_of, &lc, NULL, &size, &at));
	OK(dat_rmr_create(zone, &rmr));
	OK(dat_evd_create(ia, 2, DAT_HANDLE_NULL, DAT_EVD_SOFTWARE_FLAG, &evd));
	OK(dat_cno_create(ia, DAT_OS_WAIT_PROXY_AGENT_NULL, &cno));
	OK(dat_ep_create(ia, zone, DAT_HANDLE_NULL, DAT_HANDLE_NULL, DAT_HANDLE_NULL, NULL, &ep));
	OK(dat_ep_free(ep));
	OK(dat_cno_free(cno));
	OK(dat_evd_free(evd));
	OK(dat_rmr_free(rmr));
	OK(dat_lmr_free(memory_of));
	OK(dat_pz_free(zone));
	DAT_PROVIDER *table = *(DAT_PROVIDER **)pz; /* the registry has checks of its own */
	WANT(table->ep_modify_func(ep, DAT_EP_FIELD_PZ_HANDLE, NULL), DAT_INVALID_HANDLE);
	WANT(table->ep_query_func(ep, 0x80000000u, NULL), DAT_INVALID_HANDLE);
	WANT(table->ep_post_rdma_read_func(ep, 1, &to, number(1), NULL, DAT_COMPLETION_DEFAULT_FLAG), DAT_INVALID_HANDLE);
	WANT(table->ep_post_rdma_write_func(ep, 1, &to, number(1), NULL, DAT_COMPLETION_DEFAULT_FLAG), DAT_INVALID_HANDLE);
	WANT(table->ep_post_rdma_read_to_rmr_func(ep, NULL, number(1), NULL, DAT_COMPLETION_DEFAULT_FLAG), DAT_INVALID_HANDLE);
	WANT(dat_ib_post_fetch_and_add(ep, 2, NULL, number(1), NULL, DAT_COMPLETION_DEFAULT_FLAG), DAT_INVALID_HANDLE);
	WANT(dat_ib_post_rdma_write_immed(ep, 1, &to, number(1), NULL, 7, DAT_COMPLETION_DEFAULT_FLAG), DAT_INVALID_HANDLE);
	WANT(table->get_handle_type_func(ep, NULL), DAT_INVALID_HANDLE);
	WANT(table->evd_post_se_func(evd, NULL), DAT_INVALID_HANDLE);
	WANT(table->cno_query_func(cno, 8, NULL), DAT_INVALID_HANDLE);
	WANT(table->lmr_query_func(memory_of, 0x800, NULL), DAT_INVALID_HANDLE);
	WANT(table->rmr_bind_func(rmr, lmr, NULL, 0, DAT_VA_TYPE_VA, one.ep, number(1), 0, NULL), DAT_INVALID_HANDLE);
	DAT_IA_HANDLE own;
	DAT_EVD_HANDLE errors = DAT_HANDLE_NULL;
	OK(table->ia_open_func(name, 8, &errors, &own));
	WANT(table->lmr_create_func(own, DAT_MEM_TYPE_VIRTUAL, region, 0, zone, 0, DAT_VA_TYPE_VA, NULL, NULL, NULL, NULL, NULL), DAT_INVALID_HANDLE);
	WANT(table->ep_create_func(own, zone, NULL, NULL, NULL, NULL, NULL), DAT_INVALID_HANDLE);
	WANT(table->ep_create_with_srq_func(own, pz, evd, NULL, NULL, NULL, NULL, NULL), DAT_INVALID_HANDLE);
	WANT(table->evd_create_func(own, 2, cno, DAT_EVD_DTO_FLAG, NULL), DAT_INVALID_HANDLE);
	OK(table->ia_close_func(own, DAT_CLOSE_GRACEFUL_FLAG));
}

/* The registry here does not have the calls of common service points. A query gives the address that the service
 * point was made with, and its port is the service. */
static void common_points(void)
{
	DAT_PROVIDER *table = *(DAT_PROVIDER **)pz;
	DAT_COMM comm = {.domain = AF_INET, .type = SOCK_STREAM};
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t n = sizeof at;
	int free_port = socket(AF_INET, SOCK_STREAM, 0);
	TRUE_(free_port >= 0 && bind(free_port, (struct sockaddr *)&at, n) == 0 && getsockname(free_port, (struct sockaddr *)&at, &n) == 0);
	close(free_port);
	DAT_IA_HANDLE own;
	DAT_EVD_HANDLE errors = DAT_HANDLE_NULL, requests;
	DAT_CSP_HANDLE csp;
	DAT_CSP_PARAM param;
	OK(table->ia_open_func((char *)table->device_name, 8, &errors, &own));
	OK(table->evd_create_func(own, 4, DAT_HANDLE_NULL, DAT_EVD_CR_FLAG, &requests));
	OK(table->csp_create_func(own, &comm, (struct sockaddr *)&at, requests, &csp));
	OK(table->csp_query_func(csp, DAT_CSP_FIELD_ALL, &param));
	struct sockaddr_in *told = (struct sockaddr_in *)param.address_ptr;
	TRUE_(param.evd_handle == requests && param.comm->domain == AF_INET && param.comm->type == SOCK_STREAM);
	TRUE_(told->sin_family == AF_INET && told->sin_addr.s_addr == at.sin_addr.s_addr && told->sin_port == at.sin_port);
	OK(table->csp_free_func(csp));
	OK(table->evd_free_func(requests));
	OK(table->ia_close_func(own, DAT_CLOSE_GRACEFUL_FLAG));
}

static void shared_queues(void)
{
	DAT_SRQ_ATTR attr = {.max_recv_dtos = 8, .max_recv_iov = 2};
	DAT_SRQ_PARAM param;
	DAT_SRQ_HANDLE srq;
	DAT_LMR_TRIPLET to = local(0, 64);
	OK(dat_srq_create(ia, pz, &attr, &srq));
	OK(dat_srq_post_recv(srq, 1, &to, number(1)));
	OK(dat_srq_resize(srq, 16));
	OK(dat_srq_set_lw(srq, 0));
	OK(dat_srq_query(srq, DAT_SRQ_FIELD_ALL, &param));
	TRUE_(param.ia_handle == ia && param.srq_state == DAT_SRQ_STATE_OPERATIONAL && param.max_recv_dtos >= 16 && param.available_dto_count == 1);
	OK(dat_srq_free(srq));
}

/* A receive of a shared queue is outstanding until the program has taken its event, also from a tray. */
static void counted_receives(void)
{
	DAT_SRQ_ATTR attr = {.max_recv_dtos = 8, .max_recv_iov = 1};
	DAT_SRQ_PARAM param;
	DAT_SRQ_HANDLE srq;
	DAT_EP_PARAM like;
	DAT_PSP_HANDLE psp;
	DAT_COUNT more;
	struct end from, to;
	DAT_LMR_TRIPLET iov = local(0, 64);
	OK(dat_srq_create(ia, pz, &attr, &srq));
	make_end(&from);
	make_end(&to);
	OK(dat_ep_query(to.ep, DAT_EP_FIELD_ALL, &like));
	OK(dat_ep_free(to.ep));
	OK(dat_ep_create_with_srq(ia, pz, to.dto, to.dto, to.conn, srq, &like.ep_attr, &to.ep));
	OK(dat_psp_create(ia, QUAL, cr, DAT_PSP_CONSUMER_FLAG, &psp));
	OK(dat_ep_connect(from.ep, address(), QUAL, DAT_TIMEOUT_INFINITE, 0, NULL, DAT_QOS_BEST_EFFORT, DAT_CONNECT_DEFAULT_FLAG));
	DAT_EVENT event = next(cr, DAT_CONNECTION_REQUEST_EVENT);
	OK(dat_cr_accept(event.event_data.cr_arrival_event_data.cr_handle, to.ep, 0, NULL));
	next(from.conn, DAT_CONNECTION_EVENT_ESTABLISHED);
	next(to.conn, DAT_CONNECTION_EVENT_ESTABLISHED);
	for (int i = 0; i < 4; i++)
		OK(dat_srq_post_recv(srq, 1, &iov, number(i)));
	for (int i = 0; i < 3; i++)
		OK(dat_ep_post_send(from.ep, 1, &iov, number(i), DAT_COMPLETION_DEFAULT_FLAG));
	OK(dat_evd_wait(to.dto, 10000000, 3, &event, &more)); /* and puts the other two on the tray */
	for (int left = 3; left >= 1; left--) {
		OK(dat_srq_query(srq, DAT_SRQ_FIELD_ALL, &param));
		TRUE_(param.available_dto_count == 1 && param.outstanding_dto_count == left);
		if (left > 1) {
			WANT(dat_srq_resize(srq, left - 1), DAT_INVALID_STATE);
			OK(dat_evd_dequeue(to.dto, &event));
			TRUE_(event.event_data.dto_completion_event_data.user_cookie.as_64 == (uint64_t)(4 - left));
		}
	}
	OK(dat_ep_free(from.ep));
	OK(dat_ep_free(to.ep));
	OK(dat_srq_free(srq));
	OK(dat_psp_free(psp));
	OK(dat_evd_free(from.dto));
	OK(dat_evd_free(from.conn));
	OK(dat_evd_free(to.dto));
	OK(dat_evd_free(to.conn));
}

static void *takes(void *arg)
{
	DAT_EVENT event;
	DAT_RETURN ret;
	while (DAT_GET_TYPE(ret = dat_evd_dequeue(cr, &event)) == DAT_QUEUE_EMPTY)
		if (enough)
			return NULL;
	OK(ret);
	OK(dat_cr_reject(event.event_data.cr_arrival_event_data.cr_handle, 0, NULL));
	(void)arg;
	return event.event_data.cr_arrival_event_data.sp_handle.psp_handle;
}

/* A request that has waited for its service point arrives while that is being made. Its event has the handle. On a
 * busy machine the service point may come too late. */
static void waiting_requests(void)
{
	DAT_EP_HANDLE ep;
	DAT_PSP_HANDLE psp;
	DAT_EVENT event;
	DAT_COUNT more;
	pthread_t t;
	void *told;
	OK(dat_ep_create(ia, pz, one.dto, one.dto, one.conn, NULL, &ep));
	for (int round = 0; round < 200; round++) {
		OK(dat_ep_connect(ep, address(), QUAL, DAT_TIMEOUT_INFINITE, 0, NULL, DAT_QOS_BEST_EFFORT, DAT_CONNECT_DEFAULT_FLAG));
		enough = 0;
		TRUE_(pthread_create(&t, NULL, takes, NULL) == 0);
		usleep(200);
		OK(dat_psp_create(ia, QUAL, cr, DAT_PSP_CONSUMER_FLAG, &psp));
		OK(dat_evd_wait(one.conn, 10000000, 1, &event, &more));
		enough = 1;
		TRUE_(pthread_join(t, &told) == 0);
		TRUE_(told == (event.event_number == DAT_CONNECTION_EVENT_PEER_REJECTED ? psp : NULL));
		OK(dat_ep_reset(ep));
		OK(dat_psp_free(psp));
	}
	OK(dat_ep_free(ep));
}

static void services(void)
{
	DAT_PSP_HANDLE psp;
	DAT_PSP_PARAM param;
	DAT_CONN_QUAL qual = 0;
	OK(dat_psp_create_any(ia, &qual, cr, DAT_PSP_PROVIDER_FLAG, &psp));
	OK(dat_psp_query(psp, DAT_PSP_FIELD_ALL, &param));
	TRUE_(param.ia_handle == ia && param.conn_qual == qual && qual != 0 && param.evd_handle == cr && param.psp_flags == DAT_PSP_PROVIDER_FLAG);
	/* A request brings an endpoint of the provider's, and is refused with words. */
	DAT_EP_HANDLE ep;
	DAT_CR_PARAM asks;
	OK(dat_ep_create(ia, pz, one.dto, one.dto, one.conn, NULL, &ep));
	OK(dat_ep_connect(ep, address(), qual, DAT_TIMEOUT_INFINITE, 0, NULL, DAT_QOS_BEST_EFFORT, DAT_CONNECT_DEFAULT_FLAG));
	DAT_EVENT event = next(cr, DAT_CONNECTION_REQUEST_EVENT);
	DAT_CR_HANDLE request = event.event_data.cr_arrival_event_data.cr_handle;
	OK(dat_cr_query(request, DAT_CR_FIELD_ALL, &asks));
	TRUE_(asks.local_ep_handle != NULL && asks.remote_ia_address_ptr != NULL);
	OK(dat_set_consumer_context(asks.local_ep_handle, (DAT_CONTEXT){.as_64 = 5}));
	OK(dat_cr_reject(request, 3, "no"));
	WANT(dat_cr_reject(request, 3, "no"), DAT_INVALID_HANDLE);
	WANT(dat_set_consumer_context(asks.local_ep_handle, (DAT_CONTEXT){.as_64 = 6}), DAT_INVALID_HANDLE);
	event = next(one.conn, DAT_CONNECTION_EVENT_PEER_REJECTED);
	DAT_CONNECTION_EVENT_DATA *data = &event.event_data.connect_event_data;
	TRUE_(data->ep_handle == ep && data->private_data_size >= 3 && strcmp(data->private_data, "no") == 0);
	OK(dat_ep_reset(ep));
	OK(dat_psp_free(psp));
	/* No listener is left. */
	OK(dat_ep_connect(ep, address(), qual, DAT_TIMEOUT_INFINITE, 0, NULL, DAT_QOS_BEST_EFFORT, DAT_CONNECT_DEFAULT_FLAG));
	next(one.conn, DAT_CONNECTION_EVENT_NON_PEER_REJECTED);
	OK(dat_ep_free(ep));
}

/* Memory that is not there is refused, and not the end of the process. */
static void wrong_memory(void)
{
	DAT_LMR_HANDLE h;
	DAT_LMR_CONTEXT lc;
	DAT_VLEN size;
	DAT_VADDR at;
	char *p = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(p + 4096, 4096);
	DAT_REGION_DESCRIPTION region = {.for_va = p};
	WANT(dat_lmr_create(ia, DAT_MEM_TYPE_VIRTUAL, region, 3 * 4096, pz, DAT_MEM_PRIV_ALL_FLAG, DAT_VA_TYPE_VA, &h, &lc, NULL, &size, &at), DAT_INVALID_PARAMETER);
	WANT(dat_lmr_create(ia, DAT_MEM_TYPE_VIRTUAL, region, 0, pz, DAT_MEM_PRIV_ALL_FLAG, DAT_VA_TYPE_VA, &h, &lc, NULL, &size, &at), DAT_LENGTH_ERROR);
	WANT(dat_lmr_create(ia, DAT_MEM_TYPE_VIRTUAL, region, ~0ULL, pz, DAT_MEM_PRIV_ALL_FLAG, DAT_VA_TYPE_VA, &h, &lc, NULL, &size, &at), DAT_LENGTH_ERROR);
	for (int type = 3; type < 5; type++) /* of 1.2, and of none */
		TRUE_(DAT_GET_SUBTYPE(dat_lmr_create(ia, type, region, 100, pz, DAT_MEM_PRIV_ALL_FLAG, DAT_VA_TYPE_VA, &h, &lc, NULL, &size, &at)) == DAT_INVALID_ARG2);
	mprotect(p, 4096, PROT_READ);
	WANT(dat_lmr_create(ia, DAT_MEM_TYPE_VIRTUAL, region, 100, pz, DAT_MEM_PRIV_ALL_FLAG, DAT_VA_TYPE_VA, &h, &lc, NULL, &size, &at), DAT_INVALID_PARAMETER);
	OK(dat_lmr_create(ia, DAT_MEM_TYPE_VIRTUAL, region, 100, pz, DAT_MEM_PRIV_LOCAL_READ_FLAG, DAT_VA_TYPE_VA, &h, &lc, NULL, &size, &at));
	DAT_LMR_PARAM param;
	OK(dat_lmr_query(h, DAT_LMR_FIELD_ALL, &param));
	TRUE_(param.ia_handle == ia && param.region_desc.for_va == p && param.length == 100 && param.lmr_context == lc);
	OK(dat_lmr_free(h));
}

static void *spin(void *evd)
{
	DAT_EVENT event;
	while (!enough)
		WANT(dat_evd_dequeue(evd, &event), DAT_QUEUE_EMPTY);
	return NULL;
}

/* Threads that spin do not keep what others wait for from coming. */
static void spinners(void)
{
	enum { THREADS = 6, ROUNDS = 200 };
	pthread_t t[THREADS];
	DAT_EVD_HANDLE idle[THREADS];
	DAT_LMR_TRIPLET from = local(0, 8), to = local(64, 8);
	enough = 0;
	for (int i = 0; i < THREADS; i++) {
		OK(dat_evd_create(ia, 4, DAT_HANDLE_NULL, DAT_EVD_SOFTWARE_FLAG, &idle[i]));
		TRUE_(pthread_create(&t[i], NULL, spin, idle[i]) == 0);
	}
	for (int i = 0; i < ROUNDS; i++) {
		OK(dat_ep_post_recv(two.ep, 1, &to, number(i), DAT_COMPLETION_DEFAULT_FLAG));
		OK(dat_ep_post_send(one.ep, 1, &from, number(i), DAT_COMPLETION_DEFAULT_FLAG));
		next(one.dto, DAT_DTO_COMPLETION_EVENT);
		next(two.dto, DAT_DTO_COMPLETION_EVENT);
	}
	enough = 1;
	for (int i = 0; i < THREADS; i++) {
		pthread_join(t[i], NULL);
		OK(dat_evd_free(idle[i]));
	}
}

/* reads checks addresses that queries of other threads give as well. */
static void *reads(void *arg)
{
	DAT_EP_PARAM param;
	while (!enough) {
		OK(dat_ep_query(one.ep, DAT_EP_FIELD_ALL, &param));
		struct sockaddr_in *a = (struct sockaddr_in *)param.remote_ia_address_ptr;
		for (int i = 0; i < 100; i++)
			TRUE_(__atomic_load_n(&a->sin_family, __ATOMIC_RELAXED) == AF_INET && __atomic_load_n(&a->sin_addr.s_addr, __ATOMIC_RELAXED) != 0);
	}
	return arg;
}

/* An address does not change while it stays the same, whatever thread asks for it. */
static void queries(void)
{
	enum { THREADS = 3 };
	pthread_t t[THREADS];
	enough = 0;
	for (int i = 0; i < THREADS; i++)
		TRUE_(pthread_create(&t[i], NULL, reads, NULL) == 0);
	usleep(500000);
	enough = 1;
	for (int i = 0; i < THREADS; i++)
		TRUE_(pthread_join(t[i], NULL) == 0);
}

static DAT_EP_HANDLE volatile fresh;
static pthread_barrier_t together;

/* asks_first returns the pointer that a query gives, where others ask at the same time. */
static void *asks_first(void *arg)
{
	DAT_EP_PARAM param;
	(void)arg;
	pthread_barrier_wait(&together);
	OK(dat_ep_query(fresh, DAT_EP_FIELD_ALL, &param));
	return param.local_ia_address_ptr;
}

/* The first queries of an endpoint, at the same time, give the same memory. */
static void first_queries(void)
{
	enum { THREADS = 3, ROUNDS = 2000 };
	pthread_t t[THREADS];
	void *at[THREADS];
	DAT_EP_HANDLE ep;
	TRUE_(pthread_barrier_init(&together, NULL, THREADS) == 0);
	for (int round = 0; round < ROUNDS; round++) {
		OK(dat_ep_create(ia, pz, one.dto, one.dto, one.conn, NULL, &ep));
		fresh = ep;
		for (int i = 0; i < THREADS; i++)
			TRUE_(pthread_create(&t[i], NULL, asks_first, NULL) == 0);
		for (int i = 0; i < THREADS; i++)
			TRUE_(pthread_join(t[i], &at[i]) == 0);
		TRUE_(at[0] == at[1] && at[1] == at[2]);
		OK(dat_ep_free(ep));
	}
	pthread_barrier_destroy(&together);
}

static DAT_PROVIDER *table; /* of the library: the registry's own table of adapters is not safe beside a close */

/* asks asks about an adapter that may be closed. */
static void *asks(void *arg)
{
	DAT_IA_HANDLE *own = arg;
	DAT_IA_ATTR attr;
	DAT_PROVIDER_ATTR provider;
	while (!enough) {
		DAT_RETURN ret = table->ia_query_func(*own, NULL, DAT_IA_FIELD_ALL, &attr, DAT_PROVIDER_FIELD_ALL, &provider);
		TRUE_(ret == DAT_SUCCESS || DAT_GET_TYPE(ret) == DAT_INVALID_HANDLE);
	}
	return NULL;
}

/* A query beside a close succeeds or finds no adapter. */
static void closes(char *name)
{
	enum { THREADS = 3 };
	pthread_t t[THREADS];
	DAT_IA_HANDLE own = DAT_HANDLE_NULL;
	time_t until = time(NULL) + 3;
	table = *(DAT_PROVIDER **)pz;
	enough = 0;
	for (int i = 0; i < THREADS; i++)
		TRUE_(pthread_create(&t[i], NULL, asks, &own) == 0);
	while (time(NULL) < until) {
		DAT_EVD_HANDLE errors = DAT_HANDLE_NULL;
		OK(table->ia_open_func(name, 8, &errors, &own));
		OK(table->ia_close_func(own, DAT_CLOSE_ABRUPT_FLAG));
	}
	enough = 1;
	for (int i = 0; i < THREADS; i++)
		TRUE_(pthread_join(t[i], NULL) == 0);
}

/* The ways to make a child process that has a copy of the memory. Only the first calls the functions
 * that libraries have registered for it. */
static pid_t by_fork(void) { return fork(); }
static pid_t by_clone(void) { return syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL); }
static pid_t by_own_fork(void) { return _Fork(); }

static int status_of(pid_t child)
{
	int status = 0;
	TRUE_(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* A child has no threads of Go: calls fail, and do not hang. */
static void forks(void)
{
	pid_t (*ways[])(void) = {by_fork, by_clone, by_own_fork};
	for (unsigned i = 0; i < sizeof ways / sizeof ways[0]; i++) {
		pid_t child = ways[i]();
		if (child == 0) {
			DAT_EVENT event;
			DAT_COUNT more;
			DAT_PZ_HANDLE zone;
			alarm(5);
			_exit(DAT_GET_TYPE(dat_evd_wait(one.conn, 1000, 1, &event, &more)) == DAT_INTERNAL_ERROR &&
			      DAT_GET_TYPE(dat_evd_dequeue(one.dto, &event)) == DAT_INTERNAL_ERROR &&
			      DAT_GET_TYPE(dat_pz_create(ia, &zone)) == DAT_INTERNAL_ERROR ? 7 : 1);
		}
		TRUE_(status_of(child) == 7);
	}
	pid_t child = fork();
	if (child == 0) {
		execl("/bin/true", "true", (char *)NULL);
		_exit(1);
	}
	TRUE_(status_of(child) == 0);
	/* A child that shares the memory does not make its parent one. */
	child = vfork();
	if (child == 0)
		_exit(7);
	TRUE_(status_of(child) == 7);
	DAT_PZ_HANDLE zone;
	OK(dat_pz_create(ia, &zone));
	OK(dat_pz_free(zone));
}

/* A broken pipe of the program ends it, or its child, as without the library. */
static void pipes(void)
{
	int ends[2], status;
	TRUE_(pipe(ends) == 0 && close(ends[0]) == 0);
	pid_t child = fork();
	if (child == 0)
		_exit(write(ends[1], "", 1) == 1);
	TRUE_(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE);
	TRUE_(close(ends[1]) == 0);
}

static volatile sig_atomic_t alarms;

static void on_alarm(int s) { (void)s, alarms++; }

/* A signal of the program's own is the program's, and ends no wait. */
static void signals(void)
{
	DAT_EVENT event;
	DAT_COUNT more;
	struct sigaction sa = {.sa_handler = on_alarm};
	sigaction(SIGALRM, &sa, NULL);
	alarms = 0;
	ualarm(20000, 0);
	WANT(dat_evd_wait(one.conn, 200000, 1, &event, &more), DAT_TIMEOUT_EXPIRED);
	TRUE_(alarms == 1);
}

static void ends(void)
{
	OK(dat_ep_disconnect(one.ep, DAT_CLOSE_GRACEFUL_FLAG));
	next(one.conn, DAT_CONNECTION_EVENT_DISCONNECTED);
	next(two.conn, DAT_CONNECTION_EVENT_DISCONNECTED);
	OK(dat_ep_disconnect(one.ep, DAT_CLOSE_GRACEFUL_FLAG));
	WANT(dat_ia_close(ia, DAT_CLOSE_GRACEFUL_FLAG), DAT_INVALID_STATE);
	OK(dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG));
	WANT(dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG), DAT_INVALID_HANDLE);
}

/* Memory that goes away while it is registered ends the operation that uses it, and the
   connection, and not the process. A device has pinned it, and goes on. */
static void lost_memory(void)
{
	DAT_LMR_HANDLE h;
	DAT_LMR_CONTEXT lc;
	DAT_VLEN size;
	DAT_VADDR at;
	char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	DAT_REGION_DESCRIPTION region = {.for_va = p};
	OK(dat_lmr_create(ia, DAT_MEM_TYPE_VIRTUAL, region, 4096, pz, DAT_MEM_PRIV_ALL_FLAG, DAT_VA_TYPE_VA, &h, &lc, NULL, &size, &at));
	DAT_LMR_TRIPLET from = {.lmr_context = lc, .virtual_address = at, .segment_length = 64};
	DAT_RMR_TRIPLET to = far(16384, 64);
	munmap(p, 4096);
	OK(dat_ep_post_rdma_write(one.ep, 1, &from, number(3), &to, DAT_COMPLETION_DEFAULT_FLAG));
	DAT_EVENT event = next(one.dto, DAT_DTO_COMPLETION_EVENT);
	DAT_DTO_COMPLETION_EVENT_DATA *dto = &event.event_data.dto_completion_event_data;
	TRUE_(dto->user_cookie.as_64 == 3);
	if (dto->status != DAT_DTO_SUCCESS) {
		TRUE_(dto->status == DAT_DTO_ERR_LOCAL_PROTECTION);
		next(one.conn, DAT_CONNECTION_EVENT_BROKEN);
	}
	OK(dat_lmr_free(h));
	OK(dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG));
}

/* Calls change no mask of signals, and a signal that the program blocks is not for the threads of the
 * library either. Before the first opening only some signals are blocked. */
static void masks(char *name)
{
	struct timespec soon = {.tv_sec = 10};
	sigset_t some, others, was, is;
	sigemptyset(&some);
	sigaddset(&some, SIGCHLD);
	sigaddset(&some, SIGPROF);
	sigemptyset(&others);
	sigaddset(&others, SIGTERM);
	TRUE_(pthread_sigmask(SIG_BLOCK, &some, &was) == 0);
	DAT_EVD_HANDLE evd = DAT_HANDLE_NULL;
	OK(dat_ia_open(name, 8, &evd, &ia));
	TRUE_(pthread_sigmask(SIG_BLOCK, &others, &is) == 0);
	TRUE_(sigismember(&is, SIGCHLD) == 1 && sigismember(&is, SIGPROF) == 1);
	TRUE_(sigismember(&is, SIGTERM) == 0 && sigismember(&is, SIGUSR1) == 0);
	TRUE_(kill(getpid(), SIGTERM) == 0);
	TRUE_(sigtimedwait(&others, NULL, &soon) == SIGTERM);
	OK(dat_ia_close(ia, DAT_CLOSE_GRACEFUL_FLAG));
	TRUE_(pthread_sigmask(SIG_SETMASK, &was, NULL) == 0);
}

/* The library has the layouts of 2.0, and serves no record of another version. */
static void former_versions(void)
{
	DAT_EVD_HANDLE evd = DAT_HANDLE_NULL;
	DAT_IA_HANDLE h;
	WANT(dat_ia_openv("former0", 8, &evd, &h, 1, 2, DAT_FALSE), DAT_PROVIDER_NOT_FOUND);
}

int main(int argc, char **argv)
{
	signal(SIGPIPE, SIG_DFL); /* whoever has started this may ignore it */
	if (argc == 2) {
		masks(argv[1]);
		former_versions();
	}
	/* The last close unloads the library as far as it can be: open again. */
	for (int round = 0; round < 3 && argc == 2; round++) {
		both_ends(argv[1]);
		contexts();
		dispatchers();
		agents();
		endpoints();
		windows();
		transfers();
		atomics();
		freed_handles(argv[1]);
		common_points();
		shared_queues();
		counted_receives();
		services();
		if (strcmp(argv[1], "tcp0") != 0) /* a network refuses a request for which nobody listens yet */
			waiting_requests();
		wrong_memory();
		spinners();
		queries();
		first_queries();
		if (round == 0)
			closes(argv[1]);
		signals();
		pipes();
		forks();
		if (round == 1)
			lost_memory();
		else
			ends();
	}
	puts("ALL CALLS PASSED");
	return 0;
}
