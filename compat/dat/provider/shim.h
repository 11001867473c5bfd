/* Declarations that the C code and the Go code of this library share. */
#ifndef DAPLGO_SHIM_H
#define DAPLGO_SHIM_H

#include <pthread.h>
#include <stdlib.h>

#include <netinet/in.h>

#include "abi.h"

/* Results that C returns without a call into Go. */
#define DG_ERROR 0x80000000u
#define DG_INTERNAL_ERROR (DG_ERROR | 0x40000u)
#define DG_INVALID_HANDLE (DG_ERROR | 0x50000u)
#define DG_INVALID_PARAMETER (DG_ERROR | 0x60000u)
#define DG_QUEUE_EMPTY (DG_ERROR | 0xd0000u)
#define DG_NOT_IMPLEMENTED (DG_ERROR | 0x3fff0000u)
#define DG_ARG2 38

/* Go has filled the tray; take the event from there. */
#define DG_TAKE 1

/* Go returns this if the thread has to sleep. */
#define DG_ASLEEP 2

/* Accesses to fields that several threads use. cgo does not support atomic types. */
#define LOAD(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define STORE(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)

/* dg_enter is the first call of a thread into Go: see signals.c. */
extern __thread int dg_entered;
void dg_enter(void);

/* A thread is not cancelled while it is in Go: what Go calls for a device, in libraries of C, has points where it could
 * be, and it would leave Go in the middle, with whatever it holds there. It is cancelled behind the call. */
static inline int dg_shield(void)
{
	int state;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	if (!dg_entered)
		dg_enter();
	return state;
}

static inline void dg_unshield(int state)
{
	int ignored;
	pthread_setcancelstate(state, &ignored);
}

/* The number of an invalid handle; compat/dat has no object with it. */
#define DG_NOBODY UINT64_MAX

/* A program's handle is a pointer to a dg_handle. The registry reads the first word of any
 * handle that it is given, so that word must stay valid: the memory of handles is never
 * unmapped, and a freed handle is used again only after many others were freed. */
typedef struct dg_handle {
	dg_provider *table;
	uint64_t number; /* of the object in compat/dat; 0: the object was freed */
	uint64_t context; /* the consumer's */
	uint32_t pending; /* of an EVD: a dequeue may find an event */
	uint32_t waiters; /* of an EVD */
	uint64_t looked; /* of an EVD: when C last called Go */
	void *extra; /* memory that is freed when the handle is used again */
	struct dg_handle *next; /* in the list of freed handles */
	uint32_t slot; /* of an EVD: the index of its state in Go, from 1; of an EP: the slot of the EVD of its requests, or 0 */
	uint32_t evd; /* it is an EVD */
} dg_handle;

/* dg_tray is the front of an EVD's queue, in memory of C: see tray.c. */
#define DG_TRAY 16
typedef struct dg_ready { /* an event of a tray, packed */
	uint32_t event_number;
	uint32_t type; /* of the extension, as are the last two */
	dg_dto_data data; /* of a completion, or of a bind, which is smaller */
	uint32_t status;
	uint32_t immed;
} dg_ready;

typedef struct dg_tray {
	uint64_t state; /* number of the fill, events taken, events filled: 32, 16 and 16 bits */
	uint32_t behind; /* events that are queued after those of the tray */
	uint32_t unwaitable;
	dg_ready ready[DG_TRAY];
} dg_tray;

/* dg_sleep is the wait of one thread: see sleep.c. */
#define DG_FDS 32
typedef struct dg_sleep {
	uint32_t number; /* Go's, from 1 */
	uint32_t pause; /* let Go's scheduler run first: see dg_pause */
	int32_t kick;
	int32_t fds;
	int32_t fd[DG_FDS];
} dg_sleep;

uint32_t dg_pause(void);
dg_return dg_sleep_on(dg_sleep *s, uint32_t timeout, dg_event *event, int32_t *more, void **evd);

dg_tray *dg_tray_new(void);
int dg_tray_take(dg_handle *evd, dg_event *event, int32_t *more);

/* Additional memory of some kinds of handles. */
#define DG_MAX_ATTRS 12
typedef struct dg_ia_extra {
	struct sockaddr_storage address;
	dg_named_attr attrs[DG_MAX_ATTRS];
	char words[DG_MAX_ATTRS][2][40];
} dg_ia_extra;

#define DG_PRIVATE 512
typedef struct dg_connection_extra { /* of an EP and a CR */
	struct sockaddr_storage local, remote;
	char private_data[DG_PRIVATE];
} dg_connection_extra;

typedef struct dg_lmr_extra {
	dg_region_description region;
	char cookie[DG_COOKIE_SIZE];
} dg_lmr_extra;

typedef struct dg_csp_extra {
	dg_comm comm;
	struct sockaddr_storage address;
} dg_csp_extra;

dg_handle *dg_handle_new(dg_provider *table, uint64_t number);
void dg_handle_free(dg_handle *h);

/* The memory of all handles, and their number. */
extern dg_handle *dg_handles;
#define DG_HANDLES (1u << 20)

/* dg_handle_of returns p as a handle, or NULL if p is not a handle of this library. It
 * checks the address only. */
static inline dg_handle *dg_handle_of(const void *p)
{
	dg_handle *all = LOAD(&dg_handles);
	uintptr_t at = (uintptr_t)p - (uintptr_t)all;
	if (all == NULL || at >= DG_HANDLES * sizeof(dg_handle) || at % sizeof(dg_handle) != 0)
		return NULL;
	return (dg_handle *)p;
}

/* dg_known returns p as a handle, or NULL if it is none or its object was freed. */
static inline dg_handle *dg_known(const void *p)
{
	dg_handle *h = dg_handle_of(p);
	return h != NULL && LOAD(&h->number) != 0 ? h : NULL;
}

/* dg_number returns the number of the object, 0 for NULL. */
static inline uint64_t dg_number(uintptr_t p)
{
	if (p == 0)
		return 0;
	dg_handle *h = dg_handle_of((void *)p);
	uint64_t number = h == NULL ? 0 : LOAD(&h->number);
	return number == 0 ? DG_NOBODY : number;
}

/* dg_entry is one record of the registry that this library serves. */
typedef struct dg_entry {
	dg_provider table;
	dg_provider_info info;
	struct dg_entry *next;
	int in_use;
} dg_entry;

void dg_table_fill(dg_provider *table);
uintptr_t dg_ia_of(void *ia);
int dg_mapped(uintptr_t p, uint64_t n, int writable);
void dg_call_agent(void *f, uintptr_t data, void *evd);

/* dg_forked reports whether this process is a child that has a copy of the memory. */
extern int *dg_ours;
static inline int dg_forked(void) { return LOAD(LOAD(&dg_ours)) == 0; }

#endif
