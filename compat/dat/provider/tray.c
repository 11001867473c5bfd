/* A tray is the front of an EVD's queue, in C memory. A call from C into Go costs more
 * than taking an event. So Go fills the tray with the available completions, several at
 * a time, and later calls take them in C. Only Go fills a tray, one thread at a time, and
 * only when the tray is empty. Any number of threads take from it.
 *
 * The state is one word. A thread that takes an event copies it first and then advances
 * the count. That fails if another thread has taken the event, or Go has taken the
 * remaining events back; then the copy is discarded, since it may have been overwritten
 * meanwhile. Each fill has a number, so that no state occurs twice. */
#include <string.h>

#include "shim.h"

_Static_assert(sizeof(dg_ready) == 48 && offsetof(dg_tray, ready) == 16, "the first event is on the line of the state");
_Static_assert(sizeof(dg_rmr_bind_data) <= sizeof(dg_dto_data), "a bind fits");

#define LINE 64

dg_tray *dg_tray_new(void)
{
	size_t size = (sizeof(dg_tray) + LINE - 1) / LINE * LINE;
	dg_tray *t = aligned_alloc(LINE, size);
	return t == NULL ? NULL : memset(t, 0, size);
}

/* The event number of the extension. The extension's values follow the event. */
#define IB_DTO_EVENT 0x40000

#define GET(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)

/* copy copies an event that may be written at the same time. It loads each member in the
 * size in which Go has stored it: otherwise the processor could not forward the store and
 * would wait for it. */
static inline void copy(dg_ready *to, const dg_ready *from)
{
	to->event_number = GET(from->event_number);
	to->data.ep_handle = GET(from->data.ep_handle);
	to->data.user_cookie.as_64 = GET(from->data.user_cookie.as_64);
	to->data.status = GET(from->data.status);
	to->data.transfered_length = GET(from->data.transfered_length);
	to->data.operation = GET(from->data.operation);
	to->data.rmr_context = GET(from->data.rmr_context);
	to->type = GET(from->type);
	to->status = GET(from->status);
	to->immed = GET(from->immed);
}

/* dg_tray_take takes the first event. It returns 0 if there is none. more is how many
 * events are still queued. */
int dg_tray_take(dg_handle *evd, dg_event *event, int32_t *more)
{
	dg_tray *t = evd->extra;
	if (t == NULL)
		return 0;
	dg_ready ready;
	uint32_t left, behind;
	uint64_t state = LOAD(&t->state);
	do {
		uint32_t taken = state >> 16 & 0xffff, filled = state & 0xffff;
		if (taken == filled)
			return 0;
		copy(&ready, &t->ready[taken]);
		behind = GET(t->behind);
		left = filled - taken - 1;
	} while (!__atomic_compare_exchange_n(&t->state, &state, state + (1 << 16), 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
	event->event_number = ready.event_number;
	event->evd_handle = evd;
	event->event_data.dto = ready.data; /* or a bind, which is smaller */
	if (ready.event_number == IB_DTO_EVENT) {
		dg_ib_data *x = (dg_ib_data *)event->event_extension_data;
		*x = (dg_ib_data){.type = ready.type, .status = ready.status, .immed = ready.immed};
	}
	*more = left + behind;
	return 1;
}
