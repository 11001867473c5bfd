/* A program of the kind that was written for uDAPL 2.0: a server that lends memory, and a client
   that writes to it and reads it back. Its port to Go is ../main.go. */
#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dat2/udat.h>

#define SIZE 4096
#define QUAL 45249

struct place {
	DAT_VADDR addr;
	DAT_RMR_CONTEXT context;
};

static DAT_IA_HANDLE ia;
static DAT_PZ_HANDLE pz;
static DAT_EP_HANDLE ep;
static DAT_EVD_HANDLE async_evd, request_evd, recv_evd, conn_evd, cr_evd;
static DAT_LMR_HANDLE lmr;
static DAT_LMR_CONTEXT lmr_context;
static DAT_RMR_CONTEXT rmr_context;
static char area[SIZE];

static void check(const char *what, DAT_RETURN ret)
{
	if (ret != DAT_SUCCESS) {
		fprintf(stderr, "%s: %x\n", what, ret);
		exit(1);
	}
}

static DAT_EVENT wait_for(DAT_EVD_HANDLE evd, DAT_EVENT_NUMBER number)
{
	DAT_EVENT event;
	DAT_COUNT more;

	check("dat_evd_wait", dat_evd_wait(evd, DAT_TIMEOUT_INFINITE, 1, &event, &more));
	if (event.event_number != number) {
		fprintf(stderr, "event %x came, not %x\n", event.event_number, number);
		exit(1);
	}
	return event;
}

static void setup(char *name)
{
	DAT_REGION_DESCRIPTION region;
	DAT_VLEN size;
	DAT_VADDR address;

	check("dat_ia_open", dat_ia_open(name, 8, &async_evd, &ia));
	check("dat_pz_create", dat_pz_create(ia, &pz));
	check("dat_evd_create", dat_evd_create(ia, 8, DAT_HANDLE_NULL, DAT_EVD_DTO_FLAG, &request_evd));
	check("dat_evd_create", dat_evd_create(ia, 8, DAT_HANDLE_NULL, DAT_EVD_DTO_FLAG, &recv_evd));
	check("dat_evd_create", dat_evd_create(ia, 8, DAT_HANDLE_NULL, DAT_EVD_CONNECTION_FLAG, &conn_evd));
	check("dat_evd_create", dat_evd_create(ia, 8, DAT_HANDLE_NULL, DAT_EVD_CR_FLAG, &cr_evd));
	region.for_va = area;
	check("dat_lmr_create", dat_lmr_create(ia, DAT_MEM_TYPE_VIRTUAL, region, SIZE, pz, DAT_MEM_PRIV_ALL_FLAG, DAT_VA_TYPE_VA, &lmr, &lmr_context, &rmr_context, &size, &address));
	check("dat_ep_create", dat_ep_create(ia, pz, recv_evd, request_evd, conn_evd, NULL, &ep));
}

static DAT_LMR_TRIPLET local(int offset, int length)
{
	DAT_LMR_TRIPLET triplet;

	triplet.lmr_context = lmr_context;
	triplet.virtual_address = (DAT_VADDR)(uintptr_t)(area + offset);
	triplet.segment_length = length;
	return triplet;
}

static void post_recv(int offset)
{
	DAT_LMR_TRIPLET iov = local(offset, 64);
	DAT_DTO_COOKIE cookie;

	cookie.as_64 = offset;
	check("dat_ep_post_recv", dat_ep_post_recv(ep, 1, &iov, cookie, DAT_COMPLETION_DEFAULT_FLAG));
}

static void completed(DAT_EVD_HANDLE evd, DAT_UINT64 number)
{
	DAT_EVENT event = wait_for(evd, DAT_DTO_COMPLETION_EVENT);
	DAT_DTO_COMPLETION_EVENT_DATA *dto = &event.event_data.dto_completion_event_data;

	if (dto->status != DAT_DTO_SUCCESS || dto->user_cookie.as_64 != number)
		check("a transfer", DAT_INTERNAL_ERROR);
}

static void server(void)
{
	DAT_PSP_HANDLE psp;
	DAT_CR_HANDLE cr;
	DAT_EVENT event;
	struct place place;

	post_recv(0);
	check("dat_psp_create", dat_psp_create(ia, QUAL, cr_evd, DAT_PSP_CONSUMER_FLAG, &psp));
	puts("ready");
	event = wait_for(cr_evd, DAT_CONNECTION_REQUEST_EVENT);
	cr = event.event_data.cr_arrival_event_data.cr_handle;
	place.addr = (DAT_VADDR)(uintptr_t)(area + 2048);
	place.context = rmr_context;
	check("dat_cr_accept", dat_cr_accept(cr, ep, sizeof place, &place));
	wait_for(conn_evd, DAT_CONNECTION_EVENT_ESTABLISHED);
	completed(recv_evd, 0);
	printf("written: %s\n", area + 2048);
	wait_for(conn_evd, DAT_CONNECTION_EVENT_DISCONNECTED);
	check("dat_psp_free", dat_psp_free(psp));
}

static void client(const char *host)
{
	struct sockaddr_in addr;
	struct place place;
	DAT_EVENT event;
	DAT_LMR_TRIPLET iov;
	DAT_RMR_TRIPLET rmr;
	DAT_DTO_COOKIE cookie;

	memset(&addr, 0, sizeof addr);
	addr.sin_family = AF_INET;
	inet_pton(AF_INET, host, &addr.sin_addr);
	check("dat_ep_connect", dat_ep_connect(ep, (DAT_IA_ADDRESS_PTR)&addr, QUAL, DAT_TIMEOUT_INFINITE, 0, NULL, DAT_QOS_BEST_EFFORT, DAT_CONNECT_DEFAULT_FLAG));
	event = wait_for(conn_evd, DAT_CONNECTION_EVENT_ESTABLISHED);
	memcpy(&place, event.event_data.connect_event_data.private_data, sizeof place);

	strcpy(area + 512, "from a program of 2007");
	iov = local(512, 23);
	rmr.rmr_context = place.context;
	rmr.virtual_address = place.addr;
	rmr.segment_length = 23;
	cookie.as_64 = 1;
	check("dat_ep_post_rdma_write", dat_ep_post_rdma_write(ep, 1, &iov, cookie, &rmr, DAT_COMPLETION_DEFAULT_FLAG));
	completed(request_evd, 1);
	iov = local(768, 23);
	cookie.as_64 = 2;
	check("dat_ep_post_rdma_read", dat_ep_post_rdma_read(ep, 1, &iov, cookie, &rmr, DAT_COMPLETION_DEFAULT_FLAG));
	completed(request_evd, 2);
	printf("read back: %s\n", area + 768);
	iov = local(512, 23);
	cookie.as_64 = 3;
	check("dat_ep_post_send", dat_ep_post_send(ep, 1, &iov, cookie, DAT_COMPLETION_DEFAULT_FLAG));
	completed(request_evd, 3);
	check("dat_ep_disconnect", dat_ep_disconnect(ep, DAT_CLOSE_GRACEFUL_FLAG));
	wait_for(conn_evd, DAT_CONNECTION_EVENT_DISCONNECTED);
}

int main(int argc, char **argv)
{
	setup(argv[1]);
	if (argc == 2)
		server();
	else
		client(argv[2]);
	check("dat_ep_free", dat_ep_free(ep));
	check("dat_lmr_free", dat_lmr_free(lmr));
	check("dat_evd_free", dat_evd_free(request_evd));
	check("dat_evd_free", dat_evd_free(recv_evd));
	check("dat_evd_free", dat_evd_free(conn_evd));
	check("dat_evd_free", dat_evd_free(cr_evd));
	check("dat_pz_free", dat_pz_free(pz));
	check("dat_ia_close", dat_ia_close(ia, DAT_CLOSE_GRACEFUL_FLAG));
	return 0;
}
