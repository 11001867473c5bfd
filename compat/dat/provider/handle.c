/* Memory for handles: one range of addresses, used from the start. */
#include <pthread.h>
#include <sys/mman.h>

#include "shim.h"

/* The number of freed handles that are kept before the oldest is used again. */
#define QUARANTINE (1u << 16)

_Static_assert(sizeof(dg_handle) == 64, "a handle is one cache line");

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
dg_handle *dg_handles;
static uint32_t used, freed;
static dg_handle *first, *last;

/* A program may have been compiled with a sanitizer that looks for lost memory when the program ends. It looks for
 * pointers in variables and in the heap, and would miss the handles, which keep memory until they are used again. */
extern void __lsan_register_root_region(const void *p, size_t n) __attribute__((weak));

/* take returns a free handle. The caller holds the lock. */
static dg_handle *take(void)
{
	if (dg_handles == NULL) {
		void *p = mmap(NULL, DG_HANDLES * sizeof(dg_handle), PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (p == MAP_FAILED)
			return NULL;
		if (__lsan_register_root_region != NULL)
			__lsan_register_root_region(p, DG_HANDLES * sizeof(dg_handle));
		STORE(&dg_handles, p);
	}
	if (freed <= QUARANTINE && used < DG_HANDLES)
		return &dg_handles[used++];
	dg_handle *h = first;
	if (h == NULL)
		return NULL;
	first = h->next;
	if (first == NULL)
		last = NULL;
	freed--;
	free(h->extra);
	h->extra = NULL;
	return h;
}

dg_handle *dg_handle_new(dg_provider *table, uint64_t number)
{
	pthread_mutex_lock(&lock);
	dg_handle *h = take();
	pthread_mutex_unlock(&lock);
	if (h == NULL)
		return NULL;
	h->table = table;
	h->next = NULL;
	h->slot = h->evd = 0;
	STORE(&h->context, 0);
	STORE(&h->pending, 1);
	STORE(&h->waiters, 0);
	STORE(&h->looked, 0);
	STORE(&h->number, number);
	return h;
}

void dg_handle_free(dg_handle *h)
{
	pthread_mutex_lock(&lock);
	STORE(&h->number, 0);
	h->next = NULL;
	if (last != NULL)
		last->next = h;
	else
		first = h;
	last = h;
	freed++;
	pthread_mutex_unlock(&lock);
}
