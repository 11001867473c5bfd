/* Go's garbage collector moves stacks, also while they hold what the program has in place of
 * pointers: small numbers of adapters, and its own values. Run it with GOGC=1. */
#include <pthread.h>
#include <time.h>

#include "common.h"

enum { THREADS = 4 };

static volatile int enough;

static void *queries(void *arg)
{
	DAT_EP_PARAM param;
	while (!enough) {
		OK(dat_ep_query(one.ep, DAT_EP_FIELD_ALL, &param));
		TRUE_(param.ia_handle == ia);
	}
	return arg;
}

/* garbage has the collector run. */
static void *garbage(void *arg)
{
	DAT_EVD_HANDLE evd[64];
	DAT_EVD_PARAM param;
	while (!enough) {
		for (int i = 0; i < 64; i++)
			OK(dat_evd_create(ia, 256, DAT_HANDLE_NULL, DAT_EVD_DTO_FLAG, &evd[i]));
		for (int i = 0; i < 64; i++) {
			OK(dat_evd_query(evd[i], DAT_EVD_FIELD_ALL, &param));
			TRUE_(param.ia_handle == ia);
			OK(dat_evd_free(evd[i]));
		}
	}
	return arg;
}

static void agent(void *data, DAT_EVD_HANDLE evd) { (void)data, (void)evd; }

/* values uses numbers for pointers of the program's own. */
static void values(void)
{
	DAT_EVD_HANDLE soft;
	DAT_CNO_HANDLE cno;
	DAT_CNO_PARAM param;
	DAT_LMR_HANDLE h;
	DAT_LMR_CONTEXT lc;
	DAT_VLEN size;
	DAT_VADDR at;
	DAT_EVENT event = {.event_number = DAT_SOFTWARE_EVENT}, got;
	DAT_OS_WAIT_PROXY_AGENT a = {(void *)1, agent};
	DAT_REGION_DESCRIPTION region = {.for_va = (void *)1};
	event.event_data.software_event_data.pointer = (void *)1;
	OK(dat_evd_create(ia, 256, DAT_HANDLE_NULL, DAT_EVD_SOFTWARE_FLAG, &soft));
	OK(dat_evd_post_se(soft, &event));
	OK(dat_evd_dequeue(soft, &got));
	TRUE_(got.event_data.software_event_data.pointer == (void *)1);
	OK(dat_evd_free(soft));
	OK(dat_cno_create(ia, a, &cno));
	OK(dat_cno_query(cno, DAT_CNO_FIELD_ALL, &param));
	TRUE_(param.proxy.agent.instance_data == (void *)1 && param.proxy.agent.proxy_agent_func == agent);
	OK(dat_cno_free(cno));
	WANT(dat_lmr_create(ia, DAT_MEM_TYPE_VIRTUAL, region, 100, pz, DAT_MEM_PRIV_ALL_FLAG, DAT_VA_TYPE_VA, &h, &lc, NULL, &size, &at), DAT_INVALID_PARAMETER);
}

int main(int argc, char **argv)
{
	pthread_t t[THREADS];
	if (argc != 3)
		return 2;
	both_ends(argv[1]);
	for (int i = 0; i < THREADS; i++)
		TRUE_(pthread_create(&t[i], NULL, i == 0 ? garbage : queries, NULL) == 0);
	for (time_t until = time(NULL) + atoi(argv[2]); time(NULL) < until;)
		values();
	enough = 1;
	for (int i = 0; i < THREADS; i++)
		TRUE_(pthread_join(t[i], NULL) == 0);
	OK(dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG));
	puts("ALL STACKS PASSED");
	return 0;
}
