/* Measures calls from C: the post and completion of a one-byte write within the process,
 * and a dequeue from an empty dispatcher. */
#include <time.h>

#include "common.h"

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[2]) : 100000;
	DAT_LMR_TRIPLET from;
	DAT_RMR_TRIPLET to;
	DAT_EVENT event;
	DAT_HANDLE_TYPE type;
	both_ends(argv[1]);
	from = local(0, 1), to = far(4096, 1);
	double best = 1e18, empty = 1e18, plain = 1e18;
	for (int round = 0; round < 5; round++) {
		double began = now();
		for (int i = 0; i < n; i++) {
			OK(dat_ep_post_rdma_write(one.ep, 1, &from, number(i), &to, DAT_COMPLETION_DEFAULT_FLAG));
			while (dat_evd_dequeue(one.dto, &event) != DAT_SUCCESS)
				;
		}
		double took = (now() - began) / n;
		best = took < best ? took : best;
		began = now();
		for (int i = 0; i < n; i++)
			dat_evd_dequeue(two.dto, &event);
		took = (now() - began) / n;
		empty = took < empty ? took : empty;
		began = now();
		for (int i = 0; i < n; i++)
			dat_get_handle_type(one.ep, &type);
		took = (now() - began) / n;
		plain = took < plain ? took : plain;
	}
	printf("write and completion %.0f ns, empty look %.1f ns, a call that does nothing %.0f ns\n", best, empty, plain);
	dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG);
	return 0;
}
