/* What the C programs of these tests share: two ends in one process. */
#include <netinet/in.h>
#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dat2/udat.h>
#include <dat2/dat_ib_extensions.h>

#define QUAL 0x123456789abULL

static void fail_at(int line, const char *what, DAT_RETURN ret)
{
	const char *major = "", *minor = "";
	dat_strerror(ret, &major, &minor);
	printf("line %d: %s: %#x %s %s\n", line, what, ret, major, minor);
	exit(1);
}

#define OK(call) \
	do { \
		DAT_RETURN ret_ = (call); \
		if (ret_ != DAT_SUCCESS) \
			fail_at(__LINE__, #call, ret_); \
	} while (0)

#define WANT(call, type) \
	do { \
		DAT_RETURN ret_ = (call); \
		if (DAT_GET_TYPE(ret_) != (type)) \
			fail_at(__LINE__, #call, ret_); \
	} while (0)

#define TRUE_(condition) \
	do { \
		if (!(condition)) \
			fail_at(__LINE__, #condition, 0); \
	} while (0)

struct end {
	DAT_EVD_HANDLE dto, conn;
	DAT_EP_HANDLE ep;
};

static DAT_IA_HANDLE ia;
static DAT_PZ_HANDLE pz;
static DAT_EVD_HANDLE async, cr;
static struct end one, two;
static char memory[1 << 16] __attribute__((aligned(4096)));
static DAT_LMR_HANDLE lmr;
static DAT_LMR_CONTEXT lmr_context;
static DAT_RMR_CONTEXT rmr_context;

static DAT_EVENT next(DAT_EVD_HANDLE evd, int number)
{
	DAT_EVENT event;
	DAT_COUNT more;
	memset(&event, 0xff, sizeof event);
	OK(dat_evd_wait(evd, 10000000, 1, &event, &more));
	if ((int)event.event_number != number) {
		printf("event %#x, want %#x\n", event.event_number, number);
		exit(1);
	}
	TRUE_(event.evd_handle == evd);
	return event;
}

static void make_end(struct end *e)
{
	OK(dat_evd_create(ia, 256, DAT_HANDLE_NULL, DAT_EVD_DTO_FLAG | DAT_EVD_RMR_BIND_FLAG, &e->dto));
	OK(dat_evd_create(ia, 16, DAT_HANDLE_NULL, DAT_EVD_CONNECTION_FLAG, &e->conn));
	OK(dat_ep_create(ia, pz, e->dto, e->dto, e->conn, NULL, &e->ep));
}

static struct sockaddr *address(void)
{
	DAT_IA_ATTR attr;
	OK(dat_ia_query(ia, NULL, DAT_IA_FIELD_ALL, &attr, 0, NULL));
	return attr.ia_address_ptr;
}

/* both_ends opens an adapter and connects two endpoints of it. */
static __attribute__((unused)) void both_ends(char *name)
{
	DAT_PSP_HANDLE psp;
	DAT_CR_PARAM param;
	memset(memory, 0, sizeof memory);
	async = DAT_HANDLE_NULL;
	OK(dat_ia_open(name, 8, &async, &ia));
	OK(dat_pz_create(ia, &pz));
	OK(dat_evd_create(ia, 16, DAT_HANDLE_NULL, DAT_EVD_CR_FLAG, &cr));
	make_end(&one);
	make_end(&two);
	DAT_REGION_DESCRIPTION region = {.for_va = memory};
	DAT_VLEN size;
	DAT_VADDR at;
	OK(dat_lmr_create(ia, DAT_MEM_TYPE_VIRTUAL, region, sizeof memory, pz, DAT_MEM_PRIV_ALL_FLAG | DAT_IB_MEM_PRIV_REMOTE_ATOMIC,
			  DAT_VA_TYPE_VA, &lmr, &lmr_context, &rmr_context, &size, &at));
	TRUE_(size >= sizeof memory && at <= (uintptr_t)memory);
	OK(dat_psp_create(ia, QUAL, cr, DAT_PSP_CONSUMER_FLAG, &psp));
	WANT(dat_psp_create(ia, QUAL, cr, DAT_PSP_CONSUMER_FLAG, &psp), DAT_CONN_QUAL_IN_USE);
	OK(dat_ep_connect(one.ep, address(), QUAL, DAT_TIMEOUT_INFINITE, 5, "he\0lo", DAT_QOS_BEST_EFFORT, DAT_CONNECT_DEFAULT_FLAG));
	DAT_EVENT event = next(cr, DAT_CONNECTION_REQUEST_EVENT);
	DAT_CR_ARRIVAL_EVENT_DATA *arrival = &event.event_data.cr_arrival_event_data;
	TRUE_(arrival->conn_qual == QUAL && arrival->sp_handle.psp_handle == psp && arrival->local_ia_address_ptr != NULL);
	OK(dat_cr_query(arrival->cr_handle, DAT_CR_FIELD_ALL, &param));
	TRUE_(param.private_data_size >= 5 && memcmp(param.private_data, "he\0lo", 5) == 0 && param.local_ep_handle == NULL);
	OK(dat_cr_accept(arrival->cr_handle, two.ep, 3, "hi"));
	event = next(one.conn, DAT_CONNECTION_EVENT_ESTABLISHED);
	DAT_CONNECTION_EVENT_DATA *data = &event.event_data.connect_event_data;
	TRUE_(data->ep_handle == one.ep && data->private_data_size >= 3 && strcmp(data->private_data, "hi") == 0);
	next(two.conn, DAT_CONNECTION_EVENT_ESTABLISHED);
	OK(dat_psp_free(psp));
}

static __attribute__((unused)) DAT_LMR_TRIPLET local(int offset, int n)
{
	return (DAT_LMR_TRIPLET){.virtual_address = (uintptr_t)memory + offset, .segment_length = n, .lmr_context = lmr_context};
}

static __attribute__((unused)) DAT_RMR_TRIPLET far(int offset, int n)
{
	return (DAT_RMR_TRIPLET){.virtual_address = (uintptr_t)memory + offset, .segment_length = n, .rmr_context = rmr_context};
}

static __attribute__((unused)) DAT_DTO_COOKIE number(uint64_t n) { return (DAT_DTO_COOKIE){.as_64 = n}; }
