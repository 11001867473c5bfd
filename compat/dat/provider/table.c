/* The functions of the provider. Each converts the arguments that cgo cannot pass (unions
 * by value, handles) and calls Go. A few need no Go. */
#include <string.h>
#include <time.h>

#include "shim.h"
#include "_cgo_export.h"

/* After fork, the child has none of Go's threads, so a call into Go would block for
 * ever. CALL returns an error instead. */
#define CALL(x) \
	do { \
		if (dg_forked()) \
			return DG_INTERNAL_ERROR; \
		int shield = dg_shield(); \
		dg_return result = (x); \
		dg_unshield(shield); \
		return result; \
	} while (0)

#define N(h) dg_number((uintptr_t)(h))

static dg_return ia_open(const char *name, int32_t qlen, uintptr_t *async_evd, void **ia)
{
	/* The registry does not pass the table by which it found this library. Go finds
	 * the adapter by name. */
	CALL(goIAOpen((char *)name, qlen, async_evd, ia));
}

static dg_return ia_query(void *ia, uintptr_t *async_evd, uint64_t mask, dg_ia_attr *attr, uint64_t provider_mask, dg_provider_attr *provider)
{
	CALL(goIAQuery(N(ia), async_evd, mask, attr, provider_mask, provider));
}

static dg_return ia_close(void *ia, uint32_t flags) { CALL(goIAClose(N(ia), flags)); }

static dg_return set_consumer_context(void *handle, dg_context context)
{
	dg_handle *h = dg_known(handle);
	if (h == NULL)
		return DG_INVALID_HANDLE;
	STORE(&h->context, context.as_64);
	return 0;
}

static dg_return get_consumer_context(void *handle, dg_context *context)
{
	dg_handle *h = dg_known(handle);
	if (h == NULL)
		return DG_INVALID_HANDLE;
	if (context == NULL)
		return DG_INVALID_PARAMETER | DG_ARG2;
	context->as_64 = LOAD(&h->context);
	return 0;
}

static dg_return get_handle_type(void *handle, uint32_t *type) { CALL(goGetHandleType(N(handle), type)); }

static dg_return cno_create(void *ia, dg_agent agent, void **cno)
{
	CALL(goCNOCreate(N(ia), agent.instance_data, agent.proxy_agent_func, cno));
}

static dg_return cno_modify_agent(void *cno, dg_agent agent)
{
	CALL(goCNOModifyAgent(N(cno), agent.instance_data, agent.proxy_agent_func));
}

static dg_return cno_query(void *cno, uint32_t mask, dg_cno_param *param) { CALL(goCNOQuery(N(cno), mask, param)); }
static dg_return cno_free(void *cno) { CALL(goCNOFree(N(cno))); }

static dg_return cno_wait(void *cno, uint32_t timeout, void **evd)
{
	if (dg_forked())
		return DG_INTERNAL_ERROR;
	dg_sleep s = {.pause = dg_pause()};
	int shield = dg_shield();
	dg_return ret = goCNOWait(N(cno), timeout, evd, &s);
	if (ret == DG_ASLEEP)
		ret = dg_sleep_on(&s, timeout, NULL, NULL, evd);
	dg_unshield(shield);
	return ret;
}

static dg_return cno_fd_create(void *ia, int32_t *fd, void **cno) { CALL(goCNOFDCreate(N(ia), fd, cno)); }
static dg_return cno_trigger(void *cno, void **evd) { CALL(goCNOTrigger(N(cno), evd)); }

static dg_return cr_query(void *cr, uint32_t mask, dg_cr_param *param) { CALL(goCRQuery(N(cr), dg_handle_of(cr), mask, param)); }
static dg_return cr_accept(void *cr, void *ep, int32_t size, const void *data) { CALL(goCRAccept(N(cr), N(ep), size, (void *)data)); }
static dg_return cr_reject(void *cr, int32_t size, const void *data) { CALL(goCRReject(N(cr), size, (void *)data)); }
static dg_return cr_handoff(void *cr, uint64_t qual) { CALL(goCRHandoff(N(cr), qual)); }

static dg_return evd_create(void *ia, int32_t qlen, void *cno, uint32_t flags, void **evd)
{
	CALL(goEVDCreate(N(ia), qlen, N(cno), flags, evd));
}

static dg_return evd_query(void *evd, uint32_t mask, dg_evd_param *param) { CALL(goEVDQuery(N(evd), mask, param)); }
static dg_return evd_modify_cno(void *evd, void *cno) { CALL(goEVDModifyCNO(N(evd), N(cno))); }
static dg_return evd_enable(void *evd) { CALL(goEVDEnable(N(evd))); }
static dg_return evd_disable(void *evd) { CALL(goEVDDisable(N(evd))); }
static dg_return evd_resize(void *evd, int32_t qlen) { CALL(goEVDResize(N(evd), qlen)); }
static dg_return evd_post_se(void *evd, const dg_event *event) { CALL(goEVDPostSE(N(evd), (dg_event *)event)); }
static dg_return evd_free(void *evd) { CALL(goEVDFree(N(evd))); }
static dg_return evd_set_unwaitable(void *evd) { CALL(goEVDSetUnwaitable(N(evd))); }
static dg_return evd_clear_unwaitable(void *evd) { CALL(goEVDClearUnwaitable(N(evd))); }

static int may_wait(dg_handle *h) { return h->extra != NULL && !LOAD(&((dg_tray *)h->extra)->unwaitable); }

static dg_return evd_wait(void *evd, uint32_t timeout, int32_t threshold, dg_event *event, int32_t *more)
{
	dg_handle *h = dg_known(evd);
	if (h == NULL || !h->evd)
		return DG_INVALID_HANDLE;
	if (dg_forked())
		return DG_INTERNAL_ERROR;
	if (threshold == 1 && event != NULL && more != NULL && may_wait(h) && dg_tray_take(h, event, more))
		return 0;
	__atomic_fetch_add(&h->waiters, 1, __ATOMIC_SEQ_CST); /* a concurrent dequeue is an error, which Go returns */
	dg_sleep s = {.pause = dg_pause()};
	int shield = dg_shield();
	dg_return ret = goEVDWait(h, timeout, threshold, event, more, &s);
	if (ret == DG_ASLEEP)
		ret = dg_sleep_on(&s, timeout, event, more, NULL);
	dg_unshield(shield);
	__atomic_fetch_sub(&h->waiters, 1, __ATOMIC_SEQ_CST);
	return ret;
}

/* may_have_events reports whether a dequeue has to call Go. A thread that spins on an empty
 * EVD must not call Go each time: it would take the processors from the goroutines that
 * deliver the events. Some events do not set the pending flag, so Go is called at least
 * once per tick of the coarse clock. */
static int may_have_events(dg_handle *h)
{
	if (LOAD(&h->pending) != 0 ||
	    LOAD(&h->waiters) != 0)
		return 1;
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	uint64_t tick = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	if (LOAD(&h->looked) == tick)
		return 0;
	STORE(&h->looked, tick);
	return 1;
}

static dg_return evd_dequeue(void *evd, dg_event *event)
{
	dg_handle *h = dg_known(evd);
	if (h == NULL || !h->evd)
		return DG_INVALID_HANDLE;
	if (event == NULL)
		return DG_INVALID_PARAMETER | DG_ARG2;
	int32_t more;
	for (;;) {
		/* After fork, the child has a copy of the tray; the events belong to the parent. */
		if (dg_forked())
			return DG_INTERNAL_ERROR;
		if (dg_tray_take(h, event, &more))
			return 0;
		if (!may_have_events(h))
			return DG_QUEUE_EMPTY;
		int shield = dg_shield();
		dg_return ret = goEVDDequeue(h, event);
		dg_unshield(shield);
		if (ret != DG_TAKE)
			return ret;
	}
}

static dg_return ep_create(void *ia, void *pz, void *recv, void *request, void *connect, const dg_ep_attr *attr, void **ep)
{
	CALL(goEPCreate(N(ia), N(pz), N(recv), N(request), N(connect), (dg_ep_attr *)attr, ep));
}

static dg_return ep_create_with_srq(void *ia, void *pz, void *recv, void *request, void *connect, void *srq, const dg_ep_attr *attr, void **ep)
{
	CALL(goEPCreateWithSRQ(N(ia), N(pz), N(recv), N(request), N(connect), N(srq), (dg_ep_attr *)attr, ep));
}

static dg_return ep_query(void *ep, uint64_t mask, dg_ep_param *param) { CALL(goEPQuery(N(ep), dg_handle_of(ep), mask, param)); }

static dg_return ep_modify(void *ep, uint64_t mask, const dg_ep_param *param)
{
	if (param == NULL)
		CALL(goEPModify(N(ep), mask, NULL, 0, 0, 0, 0, 0));
	CALL(goEPModify(N(ep), mask, (dg_ep_param *)param, N(param->pz_handle), N(param->recv_evd_handle),
			N(param->request_evd_handle), N(param->connect_evd_handle), N(param->srq_handle)));
}

static dg_return ep_connect(void *ep, struct sockaddr *address, uint64_t qual, uint32_t timeout, int32_t size, const void *data, uint32_t qos, uint32_t flags)
{
	CALL(goEPConnect(N(ep), address, qual, timeout, size, (void *)data, qos, flags));
}

static dg_return ep_dup_connect(void *ep, void *dup, uint32_t timeout, int32_t size, const void *data, uint32_t qos)
{
	CALL(goEPDupConnect(N(ep), N(dup), timeout, size, (void *)data, qos));
}

static dg_return ep_common_connect(void *ep, struct sockaddr *address, uint32_t timeout, int32_t size, const void *data)
{
	CALL(goEPCommonConnect(N(ep), address, timeout, size, (void *)data));
}

static dg_return ep_disconnect(void *ep, uint32_t flags) { CALL(goEPDisconnect(N(ep), flags)); }

/* The arguments of a post to Go: the EP, and the slot of the EVD of its requests. */
#define POSTS(ep) N(ep), slot_of(ep)

static uint32_t slot_of(void *ep)
{
	dg_handle *h = dg_known(ep);
	return h == NULL ? 0 : LOAD(&h->slot);
}

static dg_return ep_post_send(void *ep, int32_t n, dg_lmr_triplet *iov, dg_context cookie, uint32_t flags)
{
	CALL(goEPPostSend(POSTS(ep), n, iov, cookie.as_64, flags));
}

static dg_return ep_post_send_with_invalidate(void *ep, int32_t n, dg_lmr_triplet *iov, dg_context cookie, uint32_t flags, uint32_t invalidate, uint32_t rmr_context)
{
	CALL(goEPPostSendWithInvalidate(POSTS(ep), n, iov, cookie.as_64, flags, invalidate, rmr_context));
}

static dg_return ep_post_recv(void *ep, int32_t n, dg_lmr_triplet *iov, dg_context cookie, uint32_t flags)
{
	CALL(goEPPostRecv(N(ep), n, iov, cookie.as_64, flags));
}

static dg_return ep_post_rdma_read(void *ep, int32_t n, dg_lmr_triplet *iov, dg_context cookie, const dg_rmr_triplet *remote, uint32_t flags)
{
	CALL(goEPPostRDMARead(POSTS(ep), n, iov, cookie.as_64, (dg_rmr_triplet *)remote, flags));
}

static dg_return ep_post_rdma_read_to_rmr(void *ep, const dg_rmr_triplet *local, dg_context cookie, const dg_rmr_triplet *remote, uint32_t flags)
{
	CALL(goEPPostRDMAReadToRMR(POSTS(ep), (dg_rmr_triplet *)local, cookie.as_64, (dg_rmr_triplet *)remote, flags));
}

static dg_return ep_post_rdma_write(void *ep, int32_t n, dg_lmr_triplet *iov, dg_context cookie, const dg_rmr_triplet *remote, uint32_t flags)
{
	CALL(goEPPostRDMAWrite(POSTS(ep), n, iov, cookie.as_64, (dg_rmr_triplet *)remote, flags));
}

static dg_return ep_get_status(void *ep, uint32_t *state, uint32_t *recv_idle, uint32_t *request_idle)
{
	CALL(goEPGetStatus(N(ep), state, recv_idle, request_idle));
}

static dg_return ep_free(void *ep) { CALL(goEPFree(N(ep))); }
static dg_return ep_reset(void *ep) { CALL(goEPReset(N(ep))); }
static dg_return ep_recv_query(void *ep, int32_t *buffers, int32_t *span) { CALL(goEPRecvQuery(N(ep), buffers, span)); }
static dg_return ep_set_watermark(void *ep, int32_t soft, int32_t hard) { CALL(goEPSetWatermark(N(ep), soft, hard)); }

static dg_return lmr_create(void *ia, uint32_t type, dg_region_description region, uint64_t length, void *pz, uint32_t priv, uint32_t va_type, void **lmr, uint32_t *lmr_context, uint32_t *rmr_context, uint64_t *size, uint64_t *address)
{
	CALL(goLMRCreate(N(ia), type, &region, length, N(pz), priv, va_type, lmr, lmr_context, rmr_context, size, address));
}

static dg_return lmr_query(void *lmr, uint32_t mask, dg_lmr_param *param) { CALL(goLMRQuery(N(lmr), dg_handle_of(lmr), mask, param)); }
static dg_return lmr_free(void *lmr) { CALL(goLMRFree(N(lmr))); }
static dg_return lmr_sync_rdma_read(void *ia, const dg_lmr_triplet *segments, uint64_t n) { CALL(goLMRSync(N(ia), (dg_lmr_triplet *)segments, n)); }
static dg_return lmr_sync_rdma_write(void *ia, const dg_lmr_triplet *segments, uint64_t n) { CALL(goLMRSync(N(ia), (dg_lmr_triplet *)segments, n)); }

static dg_return rmr_create(void *pz, void **rmr) { CALL(goRMRCreate(N(pz), rmr)); }
static dg_return rmr_create_for_ep(void *pz, void **rmr) { CALL(goRMRCreateForEP(N(pz), rmr)); }
static dg_return rmr_query(void *rmr, uint32_t mask, dg_rmr_param *param) { CALL(goRMRQuery(N(rmr), mask, param)); }

static dg_return rmr_bind(void *rmr, void *lmr, const dg_lmr_triplet *triplet, uint32_t priv, uint32_t va_type, void *ep, dg_context cookie, uint32_t flags, uint32_t *context)
{
	CALL(goRMRBind(N(rmr), N(lmr), (dg_lmr_triplet *)triplet, priv, va_type, POSTS(ep), cookie.as_64, flags, context));
}

static dg_return rmr_free(void *rmr) { CALL(goRMRFree(N(rmr))); }

static dg_return psp_create(void *ia, uint64_t qual, void *evd, uint32_t flags, void **psp) { CALL(goPSPCreate(N(ia), qual, N(evd), flags, psp)); }
static dg_return psp_create_any(void *ia, uint64_t *qual, void *evd, uint32_t flags, void **psp) { CALL(goPSPCreateAny(N(ia), qual, N(evd), flags, psp)); }
static dg_return psp_query(void *psp, uint32_t mask, dg_psp_param *param) { CALL(goPSPQuery(N(psp), mask, param)); }
static dg_return psp_free(void *psp) { CALL(goPSPFree(N(psp))); }
static dg_return rsp_create(void *ia, uint64_t qual, void *ep, void *evd, void **rsp) { CALL(goRSPCreate(N(ia), qual, N(ep), N(evd), rsp)); }
static dg_return rsp_query(void *rsp, uint32_t mask, dg_rsp_param *param) { CALL(goRSPQuery(N(rsp), mask, param)); }
static dg_return rsp_free(void *rsp) { CALL(goRSPFree(N(rsp))); }
static dg_return csp_create(void *ia, dg_comm *comm, struct sockaddr *address, void *evd, void **csp) { CALL(goCSPCreate(N(ia), comm, address, N(evd), csp)); }
static dg_return csp_query(void *csp, uint32_t mask, dg_csp_param *param) { CALL(goCSPQuery(N(csp), dg_handle_of(csp), mask, param)); }
static dg_return csp_free(void *csp) { CALL(goCSPFree(N(csp))); }

static dg_return pz_create(void *ia, void **pz) { CALL(goPZCreate(N(ia), pz)); }
static dg_return pz_query(void *pz, uint32_t mask, dg_pz_param *param) { CALL(goPZQuery(N(pz), mask, param)); }
static dg_return pz_free(void *pz) { CALL(goPZFree(N(pz))); }

static dg_return srq_create(void *ia, void *pz, dg_srq_attr *attr, void **srq) { CALL(goSRQCreate(N(ia), N(pz), attr, srq)); }
static dg_return srq_free(void *srq) { CALL(goSRQFree(N(srq))); }
static dg_return srq_post_recv(void *srq, int32_t n, dg_lmr_triplet *iov, dg_context cookie) { CALL(goSRQPostRecv(N(srq), n, iov, cookie.as_64)); }
static dg_return srq_query(void *srq, uint32_t mask, dg_srq_param *param) { CALL(goSRQQuery(N(srq), mask, param)); }
static dg_return srq_resize(void *srq, int32_t max) { CALL(goSRQResize(N(srq), max)); }
static dg_return srq_set_lw(void *srq, int32_t low) { CALL(goSRQSetLW(N(srq), low)); }

static dg_return ia_ha_related(void *ia, const char *name, uint32_t *related)
{
	(void)ia, (void)name, (void)related;
	return DG_NOT_IMPLEMENTED;
}

/* The extension's operations by number, and their arguments. */
enum { FETCH_ADD, CMP_SWAP, WRITE_IMMED };

static dg_return handle_extendedop(void *handle, int32_t op, va_list args)
{
	if (dg_forked())
		return DG_INTERNAL_ERROR;
	switch (op) {
	case FETCH_ADD:
	case CMP_SWAP: {
		uint64_t one = va_arg(args, uint64_t);
		uint64_t two = op == CMP_SWAP ? va_arg(args, uint64_t) : 0;
		dg_lmr_triplet *local = va_arg(args, dg_lmr_triplet *);
		dg_context cookie = va_arg(args, dg_context);
		dg_rmr_triplet *remote = va_arg(args, dg_rmr_triplet *);
		uint32_t flags = va_arg(args, uint32_t);
		CALL(goIBPostAtomic(POSTS(handle), op == CMP_SWAP, one, two, local, cookie.as_64, remote, flags));
	}
	case WRITE_IMMED: {
		int32_t n = va_arg(args, int32_t);
		dg_lmr_triplet *local = va_arg(args, dg_lmr_triplet *);
		dg_context cookie = va_arg(args, dg_context);
		dg_rmr_triplet *remote = va_arg(args, dg_rmr_triplet *);
		uint32_t immediate = va_arg(args, uint32_t);
		uint32_t flags = va_arg(args, uint32_t);
		CALL(goIBPostRDMAWriteImmed(POSTS(handle), n, local, cookie.as_64, remote, immediate, flags));
	}
	case DG_OPEN_EXTENSION: {
		char *name = handle; /* no adapter is open yet, so the registry passes its name */
		void **ia = va_arg(args, void **);
		uint64_t mask = va_arg(args, uint64_t);
		dg_ia_attr *attr = va_arg(args, dg_ia_attr *);
		uint64_t provider_mask = va_arg(args, uint64_t);
		dg_provider_attr *provider = va_arg(args, dg_provider_attr *);
		CALL(goIBOpenQuery(name, ia, mask, attr, provider_mask, provider));
	}
	case DG_CLOSE_EXTENSION:
		CALL(goIAClose(N(handle), 0));
	}
	return DG_NOT_IMPLEMENTED;
}

void dg_table_fill(dg_provider *t)
{
	const char *name = t->device_name;
	*t = (dg_provider){
		.ia_open = ia_open, .ia_query = ia_query, .ia_close = ia_close,
		.set_consumer_context = set_consumer_context, .get_consumer_context = get_consumer_context,
		.get_handle_type = get_handle_type,
		.cno_create = cno_create, .cno_modify_agent = cno_modify_agent, .cno_query = cno_query,
		.cno_free = cno_free, .cno_wait = cno_wait,
		.cr_query = cr_query, .cr_accept = cr_accept, .cr_reject = cr_reject, .cr_handoff = cr_handoff,
		.evd_create = evd_create, .evd_query = evd_query, .evd_modify_cno = evd_modify_cno,
		.evd_enable = evd_enable, .evd_disable = evd_disable, .evd_wait = evd_wait, .evd_resize = evd_resize,
		.evd_post_se = evd_post_se, .evd_dequeue = evd_dequeue, .evd_free = evd_free,
		.ep_create = ep_create, .ep_query = ep_query, .ep_modify = ep_modify, .ep_connect = ep_connect,
		.ep_dup_connect = ep_dup_connect, .ep_disconnect = ep_disconnect, .ep_post_send = ep_post_send,
		.ep_post_recv = ep_post_recv, .ep_post_rdma_read = ep_post_rdma_read,
		.ep_post_rdma_write = ep_post_rdma_write, .ep_get_status = ep_get_status, .ep_free = ep_free,
		.lmr_create = lmr_create, .lmr_query = lmr_query, .lmr_free = lmr_free,
		.rmr_create = rmr_create, .rmr_query = rmr_query, .rmr_bind = rmr_bind, .rmr_free = rmr_free,
		.psp_create = psp_create, .psp_query = psp_query, .psp_free = psp_free,
		.rsp_create = rsp_create, .rsp_query = rsp_query, .rsp_free = rsp_free,
		.pz_create = pz_create, .pz_query = pz_query, .pz_free = pz_free,
		.psp_create_any = psp_create_any, .ep_reset = ep_reset,
		.evd_set_unwaitable = evd_set_unwaitable, .evd_clear_unwaitable = evd_clear_unwaitable,
		.lmr_sync_rdma_read = lmr_sync_rdma_read, .lmr_sync_rdma_write = lmr_sync_rdma_write,
		.ep_create_with_srq = ep_create_with_srq, .ep_recv_query = ep_recv_query,
		.ep_set_watermark = ep_set_watermark,
		.srq_create = srq_create, .srq_free = srq_free, .srq_post_recv = srq_post_recv,
		.srq_query = srq_query, .srq_resize = srq_resize, .srq_set_lw = srq_set_lw,
		.csp_create = csp_create, .csp_query = csp_query, .csp_free = csp_free,
		.ep_common_connect = ep_common_connect, .rmr_create_for_ep = rmr_create_for_ep,
		.ep_post_send_with_invalidate = ep_post_send_with_invalidate,
		.ep_post_rdma_read_to_rmr = ep_post_rdma_read_to_rmr,
		.cno_fd_create = cno_fd_create, .cno_trigger = cno_trigger,
		.ia_ha_related = ia_ha_related, .handle_extendedop = handle_extendedop,
	};
	t->device_name = name;
}
