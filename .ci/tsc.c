/* Prints how many kHz the processor's time stamp counter runs at. The smallest of many gaps between two reads of the
   clock is one in which this program was not interrupted, so a busy machine does not change the figure. */
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

static long long ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void both(long long *at, long long *ticks)
{
	long long gap = 1LL << 62;
	for (int i = 0; i < 1000; i++) {
		long long before = ns(), t = __rdtsc(), after = ns();
		if (after - before < gap) {
			gap = after - before;
			*at = before + gap / 2;
			*ticks = t;
		}
	}
}

int main(void)
{
	struct timespec pause = {0, 300000000};
	long long at, ticks, at2, ticks2;
	both(&at, &ticks);
	nanosleep(&pause, NULL);
	both(&at2, &ticks2);
	printf("%.0f\n", (ticks2 - ticks) * 1e6 / (at2 - at));
	return 0;
}
