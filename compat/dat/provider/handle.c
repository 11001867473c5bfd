/* The memory of handles: a range of addresses, given out from the front. */
#include <pthread.h>
#include <sys/mman.h>

#include "shim.h"

#define MOST (1u << 20)
/* So many are freed before one of them is used again. */
#define QUARANTINE (1u << 16)

_Static_assert(sizeof(dg_handle) == 64, "a handle is one cache line");

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static dg_handle *arena;
static uint32_t used, freed;
static dg_handle *first, *last;

/* take finds a handle that is free. The lock is held. */
static dg_handle *take(void)
{
	if (arena == NULL) {
		void *p = mmap(NULL, MOST * sizeof(dg_handle), PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (p == MAP_FAILED)
			return NULL;
		arena = p;
	}
	if (freed <= QUARANTINE && used < MOST)
		return &arena[used++];
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

/* dg_handle_of is p as a handle, or NULL if it is not one of ours. It looks at the
 * address only. */
dg_handle *dg_handle_of(const void *p)
{
	uintptr_t at = (uintptr_t)p - (uintptr_t)arena;
	if (arena == NULL || at >= MOST * sizeof(dg_handle) || at % sizeof(dg_handle) != 0)
		return NULL;
	return (dg_handle *)p;
}

/* dg_known is p as a handle whose object is there, or NULL. */
dg_handle *dg_known(const void *p)
{
	dg_handle *h = dg_handle_of(p);
	return h != NULL && LOAD(&h->number) != 0 ? h : NULL;
}

/* dg_number is the number of the object, 0 for NULL. */
uint64_t dg_number(const void *p)
{
	if (p == NULL)
		return 0;
	dg_handle *h = dg_known(p);
	return h == NULL ? DG_NOBODY : LOAD(&h->number);
}
