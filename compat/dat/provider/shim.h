/* What the C and the Go of this library share. */
#ifndef DAPLGO_SHIM_H
#define DAPLGO_SHIM_H

#include <stdlib.h>

#include <netinet/in.h>

#include "abi.h"

/* Returned without asking Go. */
#define DG_ERROR 0x80000000u
#define DG_INTERNAL_ERROR (DG_ERROR | 0x40000u)
#define DG_INVALID_HANDLE (DG_ERROR | 0x50000u)
#define DG_INVALID_PARAMETER (DG_ERROR | 0x60000u)
#define DG_QUEUE_EMPTY (DG_ERROR | 0xd0000u)
#define DG_NOT_IMPLEMENTED (DG_ERROR | 0x3fff0000u)
#define DG_ARG2 38

/* Go's answer that is none: the tray has something now. */
#define DG_TAKE 1

/* For what several threads use, as atomic types are unknown to cgo. */
#define LOAD(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define STORE(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)

/* The number of a handle that is none: compat/dat knows no such object. */
#define DG_NOBODY UINT64_MAX

/* dg_handle is what a program has as a handle. The registry takes the first word of
 * whatever it is given, so that word stays good for ever: the memory of handles is
 * never given back, and one is used again only when many others have been. */
typedef struct dg_handle {
	dg_provider *table;
	uint64_t number; /* of the object in compat/dat; 0: it is gone */
	uint64_t context; /* the consumer's */
	uint32_t pending; /* of an EVD: dequeueing may find something */
	uint32_t waiters; /* of an EVD */
	uint64_t looked; /* of an EVD: when Go was asked last */
	void *extra; /* memory that goes when the handle is used again */
	struct dg_handle *next; /* of those to be used again */
	uint32_t slot; /* of an EVD: where Go has what it keeps for it, from 1; of an EP: that of the EVD of its requests, or 0 */
	uint32_t evd; /* it is an EVD */
} dg_handle;

/* dg_tray is the front of an EVD's queue, in memory of C: see tray.c. */
#define DG_TRAY 16
typedef struct dg_ready { /* an event of a tray, packed */
	uint32_t event_number;
	uint32_t type; /* of the extension, as are the last two */
	dg_dto_data data; /* of a completion, or of a bind, which has less */
	uint32_t status;
	uint32_t immed;
} dg_ready;

typedef struct dg_tray {
	uint64_t state; /* which filling it is, how many were taken of it, how many it has: 32, 16 and 16 bits */
	uint32_t behind; /* events that are queued behind those */
	uint32_t unwaitable;
	dg_ready ready[DG_TRAY];
} dg_tray;

dg_tray *dg_tray_new(void);
int dg_tray_take(dg_handle *evd, dg_event *event, int32_t *more);

/* What goes with some handles. */
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

/* The memory of all handles, and for how many it is. */
extern dg_handle *dg_handles;
#define DG_HANDLES (1u << 20)

/* dg_handle_of is p as a handle, or NULL if it is not one of ours. It looks at the
 * address only. */
static inline dg_handle *dg_handle_of(const void *p)
{
	dg_handle *all = LOAD(&dg_handles);
	uintptr_t at = (uintptr_t)p - (uintptr_t)all;
	if (all == NULL || at >= DG_HANDLES * sizeof(dg_handle) || at % sizeof(dg_handle) != 0)
		return NULL;
	return (dg_handle *)p;
}

/* dg_known is p as a handle whose object is there, or NULL. */
static inline dg_handle *dg_known(const void *p)
{
	dg_handle *h = dg_handle_of(p);
	return h != NULL && LOAD(&h->number) != 0 ? h : NULL;
}

/* dg_number is the number of the object, 0 for NULL. */
static inline uint64_t dg_number(const void *p)
{
	if (p == NULL)
		return 0;
	dg_handle *h = dg_handle_of(p);
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
void *dg_ia_of(void *ia);
int dg_mapped(void *p, uint64_t n, int writable);
void dg_call_agent(void *f, void *data, void *evd);

extern int dg_forked;

#endif
