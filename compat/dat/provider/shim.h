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
	uint32_t slot; /* of an EVD: where Go has what it keeps for it */
	uint32_t evd; /* it is an EVD */
} dg_handle;

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
dg_handle *dg_handle_of(const void *p);
uint64_t dg_number(const void *p);
dg_handle *dg_known(const void *p);

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
