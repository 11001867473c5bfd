package ibv

// Lib is the two libraries, loaded: the addresses of their functions. Its
// methods may be called concurrently, on different objects; which calls may
// be concurrent on the same object is as in verbs.
type Lib struct {
	getDeviceList, freeDeviceList, openDevice, closeDevice  uintptr
	queryDevice, queryPort, queryGID                        uintptr
	allocPD, deallocPD, regMR, deregMR                      uintptr
	createCompChannel, destroyCompChannel                   uintptr
	createCQ, resizeCQ, destroyCQ, getCQEvent, ackCQEvents  uintptr
	createSRQ, modifySRQ, querySRQ, destroySRQ              uintptr
	modifyQP, queryQP, destroyQP                            uintptr
	getAsyncEvent, ackAsyncEvent, wcStatusStr, eventTypeStr uintptr
	getDevices, freeDevices                                 uintptr
	createEventChannel, destroyEventChannel                 uintptr
	createID, destroyID, migrateID                          uintptr
	bindAddr, resolveAddr, resolveRoute                     uintptr
	createQP                                                uintptr
	connect, listen, accept, reject, disconnect, establish  uintptr
	getCMEvent, ackCMEvent, cmEventStr                      uintptr
	getSrcPort, getDstPort, setOption, initQPAttr           uintptr
}

// symbol is a function to look up.
type symbol struct {
	name string
	to   *uintptr
}

func (l *Lib) verbsSymbols() []symbol {
	return []symbol{
		{"ibv_get_device_list", &l.getDeviceList}, {"ibv_free_device_list", &l.freeDeviceList},
		{"ibv_open_device", &l.openDevice}, {"ibv_close_device", &l.closeDevice},
		{"ibv_query_device", &l.queryDevice}, {"ibv_query_port", &l.queryPort}, {"ibv_query_gid", &l.queryGID},
		{"ibv_alloc_pd", &l.allocPD}, {"ibv_dealloc_pd", &l.deallocPD},
		{"ibv_reg_mr", &l.regMR}, {"ibv_dereg_mr", &l.deregMR},
		{"ibv_create_comp_channel", &l.createCompChannel}, {"ibv_destroy_comp_channel", &l.destroyCompChannel},
		{"ibv_create_cq", &l.createCQ}, {"ibv_resize_cq", &l.resizeCQ}, {"ibv_destroy_cq", &l.destroyCQ},
		{"ibv_get_cq_event", &l.getCQEvent}, {"ibv_ack_cq_events", &l.ackCQEvents},
		{"ibv_create_srq", &l.createSRQ}, {"ibv_modify_srq", &l.modifySRQ},
		{"ibv_query_srq", &l.querySRQ}, {"ibv_destroy_srq", &l.destroySRQ},
		{"ibv_modify_qp", &l.modifyQP}, {"ibv_query_qp", &l.queryQP}, {"ibv_destroy_qp", &l.destroyQP},
		{"ibv_get_async_event", &l.getAsyncEvent}, {"ibv_ack_async_event", &l.ackAsyncEvent},
		{"ibv_wc_status_str", &l.wcStatusStr}, {"ibv_event_type_str", &l.eventTypeStr},
	}
}

func (l *Lib) cmSymbols() []symbol {
	return []symbol{
		{"rdma_get_devices", &l.getDevices}, {"rdma_free_devices", &l.freeDevices},
		{"rdma_create_event_channel", &l.createEventChannel}, {"rdma_destroy_event_channel", &l.destroyEventChannel},
		{"rdma_create_id", &l.createID}, {"rdma_destroy_id", &l.destroyID}, {"rdma_migrate_id", &l.migrateID},
		{"rdma_bind_addr", &l.bindAddr}, {"rdma_resolve_addr", &l.resolveAddr}, {"rdma_resolve_route", &l.resolveRoute},
		{"rdma_create_qp", &l.createQP},
		{"rdma_connect", &l.connect}, {"rdma_listen", &l.listen}, {"rdma_accept", &l.accept},
		{"rdma_reject", &l.reject}, {"rdma_disconnect", &l.disconnect}, {"rdma_establish", &l.establish},
		{"rdma_get_cm_event", &l.getCMEvent}, {"rdma_ack_cm_event", &l.ackCMEvent}, {"rdma_event_str", &l.cmEventStr},
		{"rdma_get_src_port", &l.getSrcPort}, {"rdma_get_dst_port", &l.getDstPort},
		{"rdma_set_option", &l.setOption}, {"rdma_init_qp_attr", &l.initQPAttr},
	}
}
