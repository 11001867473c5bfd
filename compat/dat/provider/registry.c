/* The functions through which the registry of libdat2 loads this library. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "shim.h"
#include "_cgo_export.h"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

/* The version of uDAPL whose layouts abi.h has: a program for 1.2 would read and write others. */
#define MAJOR 2

#define EXPORT __attribute__((visibility("default")))

typedef dg_return (*registration)(const dg_provider *, const dg_provider_info *);
typedef dg_return (*translation)(void *, void **);

/* For kernels that cannot clear a page: there it is 0 after fork(3) only. */
static int ours = 1;
int *dg_ours = &ours;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static dg_entry *entries;

static void forked(void) { STORE(dg_ours, 0); }

/* notice_forks has the kernel clear *dg_ours in every process that has a copy of this memory, also
 * if fork(3) has not made it: _Fork and clone call no handlers. vfork copies no memory. */
static void notice_forks(void)
{
	int *page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_atfork(NULL, NULL, forked);
	if (page == MAP_FAILED)
		return;
	if (madvise(page, sizeof *page, MADV_WIPEONFORK) != 0) {
		munmap(page, sizeof *page);
		return;
	}
	*page = 1;
	STORE(&dg_ours, page);
}

/* symbol finds a function of the registry, also if the program has loaded libdat2 with
 * RTLD_LOCAL. */
static void *symbol(const char *name)
{
	void *p = dlsym(RTLD_DEFAULT, name);
	if (p != NULL)
		return p;
	void *lib = dlopen("libdat2.so.2", RTLD_NOW | RTLD_NOLOAD);
	return lib == NULL ? NULL : dlsym(lib, name);
}

static int same(const dg_provider_info *a, const dg_provider_info *b)
{
	return strncmp(a->ia_name, b->ia_name, DG_NAME_LENGTH) == 0 && a->dapl_version_major == b->dapl_version_major &&
	       a->dapl_version_minor == b->dapl_version_minor && a->is_thread_safe == b->is_thread_safe;
}

/* entry_for finds the entry of a record, or creates it. Entries are never freed, because
 * handles point to their tables. */
static dg_entry *entry_for(const dg_provider_info *info)
{
	for (dg_entry *e = entries; e != NULL; e = e->next)
		if (same(&e->info, info))
			return e;
	dg_entry *e = calloc(1, sizeof *e);
	if (e == NULL)
		return NULL;
	e->info = *info;
	e->info.ia_name[DG_NAME_LENGTH - 1] = 0;
	e->table.device_name = e->info.ia_name;
	dg_table_fill(&e->table);
	if (entries == NULL)
		notice_forks();
	e->next = entries;
	entries = e;
	return e;
}

/* begin is the first call into Go, which waits there until its runtime has started, in
 * pthread_cond_wait(3). A thread that was cancelled there would leave with a mutex locked that the
 * runtime needs, and no call into Go would ever return. */
static int begin(dg_entry *e, const char *params)
{
	int shield = dg_shield();
	int ok = goProviderInit(e, (char *)(params == NULL ? "" : params));
	dg_unshield(shield);
	return ok;
}

/* The registry calls dat_provider_init, with its lock held, when a program opens an
 * adapter whose record names this library: the first time, and again after the last
 * close. */
EXPORT void dat_provider_init(const dg_provider_info *info, const char *params)
{
	registration add = (registration)symbol("dat_registry_add_provider");
	if (add == NULL || info == NULL || info->dapl_version_major != MAJOR || dg_forked())
		return;
	pthread_mutex_lock(&lock);
	dg_entry *e = entry_for(info);
	if (e != NULL && !e->in_use && begin(e, params)) {
		e->in_use = 1;
		add(&e->table, info);
	}
	pthread_mutex_unlock(&lock);
}

EXPORT void dat_provider_fini(const dg_provider_info *info)
{
	registration remove = (registration)symbol("dat_registry_remove_provider");
	if (info == NULL || dg_forked())
		return;
	pthread_mutex_lock(&lock);
	for (dg_entry *e = entries; e != NULL; e = e->next) {
		if (!same(&e->info, info) || !e->in_use)
			continue;
		if (remove != NULL)
			remove(&e->table, info);
		int shield = dg_shield();
		goProviderFini(e);
		dg_unshield(shield);
		e->in_use = 0;
	}
	pthread_mutex_unlock(&lock);
}

/* The registry checks that a provider with extensions has this symbol. */
EXPORT void dapl_extensions(void) {}

/* dg_ia_of returns the small number that programs use as the handle of an adapter. */
uintptr_t dg_ia_of(void *ia)
{
	static translation known;
	translation f = LOAD(&known);
	if (f == NULL) {
		f = (translation)symbol("dats_get_ia_handle");
		if (f == NULL)
			return (uintptr_t)ia;
		STORE(&known, f);
	}
	void *number = NULL;
	return (uintptr_t)(f(ia, &number) == 0 ? number : ia);
}
