/* The C interface of uDAPL 2.0, as far as a provider needs it: the numbers and layouts
 * that stock libdat2 and stock programs were compiled with. The names differ from those
 * of the uDAPL headers, so that this file compiles with or without them. Where the headers
 * are installed, a test compares every member.
 *
 * What the headers call a pointer is an uintptr_t where a program may store a number: its own
 * values, addresses before they are checked, and handles of adapters, which are small numbers.
 * In a pointer on a stack of Go, a small number ends the process when the stack moves. */
#ifndef DAPLGO_ABI_H
#define DAPLGO_ABI_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#define DG_NAME_LENGTH 256
#define DG_COOKIE_SIZE 40
#define DG_OPEN_EXTENSION 0x1000
#define DG_CLOSE_EXTENSION 0x2000

typedef uint32_t dg_return;

typedef union dg_context {
	void *as_ptr;
	uint64_t as_64;
} dg_context;

typedef struct dg_lmr_triplet {
	uint64_t virtual_address;
	uint32_t segment_length;
	uint32_t lmr_context;
} dg_lmr_triplet;

typedef struct dg_rmr_triplet {
	uint64_t virtual_address;
	uint32_t segment_length;
	uint32_t rmr_context;
} dg_rmr_triplet;

typedef struct dg_comm {
	int32_t domain;
	int32_t type;
	int32_t protocol;
} dg_comm;

typedef struct dg_named_attr {
	const char *name;
	const char *value;
} dg_named_attr;

typedef struct dg_shared_memory {
	uintptr_t virtual_address;
	char (*shared_memory_id)[DG_COOKIE_SIZE];
} dg_shared_memory;

typedef union dg_region_description {
	uintptr_t for_va;
	uintptr_t for_lmr_handle;
	dg_shared_memory for_shared_memory;
} dg_region_description;

typedef struct dg_agent {
	uintptr_t instance_data;
	void (*proxy_agent_func)(uintptr_t instance_data, void *evd);
} dg_agent;

typedef struct dg_provider_info {
	char ia_name[DG_NAME_LENGTH];
	uint32_t dapl_version_major;
	uint32_t dapl_version_minor;
	uint32_t is_thread_safe;
} dg_provider_info;

typedef struct dg_ia_attr {
	char adapter_name[DG_NAME_LENGTH];
	char vendor_name[DG_NAME_LENGTH];
	uint32_t hardware_version_major;
	uint32_t hardware_version_minor;
	uint32_t firmware_version_major;
	uint32_t firmware_version_minor;
	struct sockaddr *ia_address_ptr;
	int32_t max_eps;
	int32_t max_dto_per_ep;
	int32_t max_rdma_read_per_ep_in;
	int32_t max_rdma_read_per_ep_out;
	int32_t max_evds;
	int32_t max_evd_qlen;
	int32_t max_iov_segments_per_dto;
	int32_t max_lmrs;
	uint32_t max_lmr_block_size;
	uint64_t max_lmr_virtual_address;
	int32_t max_pzs;
	uint32_t max_message_size;
	uint32_t max_rdma_size;
	int32_t max_rmrs;
	uint64_t max_rmr_target_address;
	int32_t max_srqs;
	int32_t max_ep_per_srq;
	int32_t max_recv_per_srq;
	int32_t max_iov_segments_per_rdma_read;
	int32_t max_iov_segments_per_rdma_write;
	int32_t max_rdma_read_in;
	int32_t max_rdma_read_out;
	uint32_t max_rdma_read_per_ep_in_guaranteed;
	uint32_t max_rdma_read_per_ep_out_guaranteed;
	uint32_t zb_supported;
	uint32_t extension_supported;
	int32_t extension_version;
	int32_t num_transport_attr;
	dg_named_attr *transport_attr;
	int32_t num_vendor_attr;
	dg_named_attr *vendor_attr;
} dg_ia_attr;

typedef struct dg_provider_attr {
	char provider_name[DG_NAME_LENGTH];
	uint32_t provider_version_major;
	uint32_t provider_version_minor;
	uint32_t dapl_version_major;
	uint32_t dapl_version_minor;
	uint32_t lmr_mem_types_supported;
	uint32_t iov_ownership_on_return;
	uint32_t dat_qos_supported;
	uint32_t completion_flags_supported;
	uint32_t is_thread_safe;
	int32_t max_private_data_size;
	uint32_t supports_multipath;
	uint32_t ep_creator;
	uint32_t pz_support;
	uint32_t optimal_buffer_alignment;
	uint32_t evd_stream_merging_supported[6][6];
	uint32_t srq_supported;
	int32_t srq_watermarks_supported;
	uint32_t srq_ep_pz_difference_supported;
	int32_t srq_info_supported;
	int32_t ep_recv_info_supported;
	uint32_t lmr_sync_req;
	uint32_t dto_async_return_guaranteed;
	uint32_t rdma_write_for_rdma_read_req;
	uint32_t rdma_read_lmr_rmr_context_exposure;
	uint32_t rmr_scope_supported;
	uint32_t is_signal_safe;
	uint32_t ha_supported;
	uint32_t ha_loadbalancing;
	int32_t num_provider_specific_attr;
	dg_named_attr *provider_specific_attr;
} dg_provider_attr;

typedef struct dg_ep_attr {
	uint32_t service_type;
	uint32_t max_message_size;
	uint32_t max_rdma_size;
	uint32_t qos;
	uint32_t recv_completion_flags;
	uint32_t request_completion_flags;
	int32_t max_recv_dtos;
	int32_t max_request_dtos;
	int32_t max_recv_iov;
	int32_t max_request_iov;
	int32_t max_rdma_read_in;
	int32_t max_rdma_read_out;
	int32_t srq_soft_hw;
	int32_t max_rdma_read_iov;
	int32_t max_rdma_write_iov;
	int32_t ep_transport_specific_count;
	dg_named_attr *ep_transport_specific;
	int32_t ep_provider_specific_count;
	dg_named_attr *ep_provider_specific;
} dg_ep_attr;

typedef struct dg_ep_param {
	uintptr_t ia_handle;
	uint32_t ep_state;
	dg_comm comm;
	struct sockaddr *local_ia_address_ptr;
	uint64_t local_port_qual;
	struct sockaddr *remote_ia_address_ptr;
	uint64_t remote_port_qual;
	void *pz_handle;
	void *recv_evd_handle;
	void *request_evd_handle;
	void *connect_evd_handle;
	void *srq_handle;
	dg_ep_attr ep_attr;
} dg_ep_param;

typedef struct dg_dto_data {
	void *ep_handle;
	dg_context user_cookie;
	uint32_t status;
	uint32_t transfered_length;
	uint32_t operation;
	uint32_t rmr_context;
} dg_dto_data;

typedef struct dg_rmr_bind_data {
	void *rmr_handle;
	dg_context user_cookie;
	uint32_t status;
} dg_rmr_bind_data;

typedef struct dg_cr_data {
	void *sp_handle;
	struct sockaddr *local_ia_address_ptr;
	uint64_t conn_qual;
	void *cr_handle;
	uint32_t truncate_flag;
} dg_cr_data;

typedef struct dg_connection_data {
	void *ep_handle;
	int32_t private_data_size;
	void *private_data;
} dg_connection_data;

typedef struct dg_asynch_error_data {
	uintptr_t dat_handle;
	int32_t reason;
} dg_asynch_error_data;

typedef union dg_event_data {
	dg_dto_data dto;
	dg_rmr_bind_data rmr;
	dg_cr_data cr;
	dg_connection_data connect;
	dg_asynch_error_data asynch;
	uintptr_t software;
} dg_event_data;

/* The values of the InfiniBand extension, which follow an event. */
typedef struct dg_ib_data {
	uint32_t type;
	uint32_t status;
	uint32_t immed;
} dg_ib_data;

typedef struct dg_event {
	uint32_t event_number;
	void *evd_handle;
	dg_event_data event_data;
	uint64_t event_extension_data[8];
} dg_event;

typedef struct dg_evd_param {
	uintptr_t ia_handle;
	int32_t evd_qlen;
	uint32_t evd_state;
	void *cno_handle;
	uint32_t evd_flags;
} dg_evd_param;

typedef struct dg_lmr_param {
	uintptr_t ia_handle;
	uint32_t mem_type;
	dg_region_description region_desc;
	uint64_t length;
	void *pz_handle;
	uint32_t mem_priv;
	uint32_t va_type;
	uint32_t lmr_context;
	uint32_t rmr_context;
	uint64_t registered_size;
	uint64_t registered_address;
} dg_lmr_param;

typedef struct dg_rmr_param {
	uintptr_t ia_handle;
	void *pz_handle;
	dg_lmr_triplet lmr_triplet;
	uint32_t mem_priv;
	uint32_t rmr_context;
	uint32_t rmr_scope;
	uint32_t va_type;
} dg_rmr_param;

typedef union dg_proxy {
	dg_agent agent;
	int32_t fd;
} dg_proxy;

typedef struct dg_cno_param {
	uintptr_t ia_handle;
	uint32_t proxy_type;
	dg_proxy proxy;
} dg_cno_param;

typedef struct dg_cr_param {
	struct sockaddr *remote_ia_address_ptr;
	uint64_t remote_port_qual;
	int32_t private_data_size;
	void *private_data;
	void *local_ep_handle;
} dg_cr_param;

typedef struct dg_psp_param {
	uintptr_t ia_handle;
	uint64_t conn_qual;
	void *evd_handle;
	uint32_t psp_flags;
} dg_psp_param;

typedef struct dg_rsp_param {
	uintptr_t ia_handle;
	uint64_t conn_qual;
	void *evd_handle;
	void *ep_handle;
} dg_rsp_param;

typedef struct dg_csp_param {
	uintptr_t ia_handle;
	dg_comm *comm;
	struct sockaddr *address_ptr;
	void *evd_handle;
} dg_csp_param;

typedef struct dg_pz_param {
	uintptr_t ia_handle;
} dg_pz_param;

typedef struct dg_srq_attr {
	int32_t max_recv_dtos;
	int32_t max_recv_iov;
	int32_t low_watermark;
} dg_srq_attr;

typedef struct dg_srq_param {
	uintptr_t ia_handle;
	uint32_t srq_state;
	void *pz_handle;
	int32_t max_recv_dtos;
	int32_t max_recv_iov;
	int32_t low_watermark;
	int32_t available_dto_count;
	int32_t outstanding_dto_count;
} dg_srq_param;

/* The functions of a provider. The first word of every handle points to this table, and
 * the registry calls the functions through it. The registry does not check for NULL, so
 * the table must be complete. */
typedef struct dg_provider {
	const char *device_name;
	void *extension;
	dg_return (*ia_open)(const char *name, int32_t qlen, uintptr_t *async_evd, void **ia);
	dg_return (*ia_query)(void *ia, uintptr_t *async_evd, uint64_t mask, dg_ia_attr *attr, uint64_t provider_mask, dg_provider_attr *provider);
	dg_return (*ia_close)(void *ia, uint32_t flags);
	dg_return (*set_consumer_context)(void *handle, dg_context context);
	dg_return (*get_consumer_context)(void *handle, dg_context *context);
	dg_return (*get_handle_type)(void *handle, uint32_t *type);
	dg_return (*cno_create)(void *ia, dg_agent agent, void **cno);
	dg_return (*cno_modify_agent)(void *cno, dg_agent agent);
	dg_return (*cno_query)(void *cno, uint32_t mask, dg_cno_param *param);
	dg_return (*cno_free)(void *cno);
	dg_return (*cno_wait)(void *cno, uint32_t timeout, void **evd);
	dg_return (*cr_query)(void *cr, uint32_t mask, dg_cr_param *param);
	dg_return (*cr_accept)(void *cr, void *ep, int32_t size, const void *data);
	dg_return (*cr_reject)(void *cr, int32_t size, const void *data);
	dg_return (*cr_handoff)(void *cr, uint64_t qual);
	dg_return (*evd_create)(void *ia, int32_t qlen, void *cno, uint32_t flags, void **evd);
	dg_return (*evd_query)(void *evd, uint32_t mask, dg_evd_param *param);
	dg_return (*evd_modify_cno)(void *evd, void *cno);
	dg_return (*evd_enable)(void *evd);
	dg_return (*evd_disable)(void *evd);
	dg_return (*evd_wait)(void *evd, uint32_t timeout, int32_t threshold, dg_event *event, int32_t *more);
	dg_return (*evd_resize)(void *evd, int32_t qlen);
	dg_return (*evd_post_se)(void *evd, const dg_event *event);
	dg_return (*evd_dequeue)(void *evd, dg_event *event);
	dg_return (*evd_free)(void *evd);
	dg_return (*ep_create)(void *ia, void *pz, void *recv, void *request, void *connect, const dg_ep_attr *attr, void **ep);
	dg_return (*ep_query)(void *ep, uint64_t mask, dg_ep_param *param);
	dg_return (*ep_modify)(void *ep, uint64_t mask, const dg_ep_param *param);
	dg_return (*ep_connect)(void *ep, struct sockaddr *address, uint64_t qual, uint32_t timeout, int32_t size, const void *data, uint32_t qos, uint32_t flags);
	dg_return (*ep_dup_connect)(void *ep, void *dup, uint32_t timeout, int32_t size, const void *data, uint32_t qos);
	dg_return (*ep_disconnect)(void *ep, uint32_t flags);
	dg_return (*ep_post_send)(void *ep, int32_t n, dg_lmr_triplet *iov, dg_context cookie, uint32_t flags);
	dg_return (*ep_post_recv)(void *ep, int32_t n, dg_lmr_triplet *iov, dg_context cookie, uint32_t flags);
	dg_return (*ep_post_rdma_read)(void *ep, int32_t n, dg_lmr_triplet *iov, dg_context cookie, const dg_rmr_triplet *remote, uint32_t flags);
	dg_return (*ep_post_rdma_write)(void *ep, int32_t n, dg_lmr_triplet *iov, dg_context cookie, const dg_rmr_triplet *remote, uint32_t flags);
	dg_return (*ep_get_status)(void *ep, uint32_t *state, uint32_t *recv_idle, uint32_t *request_idle);
	dg_return (*ep_free)(void *ep);
	dg_return (*lmr_create)(void *ia, uint32_t type, dg_region_description region, uint64_t length, void *pz, uint32_t priv, uint32_t va_type, void **lmr, uint32_t *lmr_context, uint32_t *rmr_context, uint64_t *size, uint64_t *address);
	dg_return (*lmr_query)(void *lmr, uint32_t mask, dg_lmr_param *param);
	dg_return (*lmr_free)(void *lmr);
	dg_return (*rmr_create)(void *pz, void **rmr);
	dg_return (*rmr_query)(void *rmr, uint32_t mask, dg_rmr_param *param);
	dg_return (*rmr_bind)(void *rmr, void *lmr, const dg_lmr_triplet *triplet, uint32_t priv, uint32_t va_type, void *ep, dg_context cookie, uint32_t flags, uint32_t *context);
	dg_return (*rmr_free)(void *rmr);
	dg_return (*psp_create)(void *ia, uint64_t qual, void *evd, uint32_t flags, void **psp);
	dg_return (*psp_query)(void *psp, uint32_t mask, dg_psp_param *param);
	dg_return (*psp_free)(void *psp);
	dg_return (*rsp_create)(void *ia, uint64_t qual, void *ep, void *evd, void **rsp);
	dg_return (*rsp_query)(void *rsp, uint32_t mask, dg_rsp_param *param);
	dg_return (*rsp_free)(void *rsp);
	dg_return (*pz_create)(void *ia, void **pz);
	dg_return (*pz_query)(void *pz, uint32_t mask, dg_pz_param *param);
	dg_return (*pz_free)(void *pz);
	dg_return (*psp_create_any)(void *ia, uint64_t *qual, void *evd, uint32_t flags, void **psp);
	dg_return (*ep_reset)(void *ep);
	dg_return (*evd_set_unwaitable)(void *evd);
	dg_return (*evd_clear_unwaitable)(void *evd);
	dg_return (*lmr_sync_rdma_read)(void *ia, const dg_lmr_triplet *segments, uint64_t n);
	dg_return (*lmr_sync_rdma_write)(void *ia, const dg_lmr_triplet *segments, uint64_t n);
	dg_return (*ep_create_with_srq)(void *ia, void *pz, void *recv, void *request, void *connect, void *srq, const dg_ep_attr *attr, void **ep);
	dg_return (*ep_recv_query)(void *ep, int32_t *buffers, int32_t *span);
	dg_return (*ep_set_watermark)(void *ep, int32_t soft, int32_t hard);
	dg_return (*srq_create)(void *ia, void *pz, dg_srq_attr *attr, void **srq);
	dg_return (*srq_free)(void *srq);
	dg_return (*srq_post_recv)(void *srq, int32_t n, dg_lmr_triplet *iov, dg_context cookie);
	dg_return (*srq_query)(void *srq, uint32_t mask, dg_srq_param *param);
	dg_return (*srq_resize)(void *srq, int32_t max);
	dg_return (*srq_set_lw)(void *srq, int32_t low);
	dg_return (*csp_create)(void *ia, dg_comm *comm, struct sockaddr *address, void *evd, void **csp);
	dg_return (*csp_query)(void *csp, uint32_t mask, dg_csp_param *param);
	dg_return (*csp_free)(void *csp);
	dg_return (*ep_common_connect)(void *ep, struct sockaddr *address, uint32_t timeout, int32_t size, const void *data);
	dg_return (*rmr_create_for_ep)(void *pz, void **rmr);
	dg_return (*ep_post_send_with_invalidate)(void *ep, int32_t n, dg_lmr_triplet *iov, dg_context cookie, uint32_t flags, uint32_t invalidate, uint32_t rmr_context);
	dg_return (*ep_post_rdma_read_to_rmr)(void *ep, const dg_rmr_triplet *local, dg_context cookie, const dg_rmr_triplet *remote, uint32_t flags);
	dg_return (*cno_fd_create)(void *ia, int32_t *fd, void **cno);
	dg_return (*cno_trigger)(void *cno, void **evd);
	dg_return (*ia_ha_related)(void *ia, const char *name, uint32_t *related);
	dg_return (*handle_extendedop)(void *handle, int32_t op, va_list args);
} dg_provider;

#endif
