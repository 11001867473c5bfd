package ibv

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// A mirror is a Go structure and the C structure whose layout it has. fields
// are the C names of its named fields, in order, each with its Go name before it
// where that is another word. A part is only the beginning of the C structure.
type mirror struct {
	c      string
	v      any
	part   bool
	fields string
}

var mirrors = []mirror{
	{"struct ibv_sge", SGE{}, false, "addr length lkey"},
	{"struct ibv_send_wr", SendWR{}, false, "ID=wr_id next sg_list num_sge opcode Flags=send_flags ImmOrKey=imm_data " +
		"wr.atomic.remote_addr wr.atomic.compare_add wr.atomic.swap atomicRKey=wr.atomic.rkey qp_type.xrc.remote_srqn " +
		"bindMW=bind_mw.mw bindRKey=bind_mw.rkey bind_mw.bind_info"},
	{"struct ibv_recv_wr", RecvWR{}, false, "ID=wr_id next sg_list num_sge"},
	{"struct ibv_wc", WC{}, false, "ID=wr_id status opcode vendor_err byte_len ImmOrKey=imm_data qp_num src_qp Flags=wc_flags " +
		"pkey_index slid sl dlid_path_bits"},
	{"struct ibv_mw_bind_info", MWBindInfo{}, false, "mr addr length Access=mw_access_flags"},
	{"struct ibv_mw_bind", MWBind{}, false, "ID=wr_id Flags=send_flags Info=bind_info"},
	{"struct ibv_srq_attr", SRQAttr{}, false, "max_wr max_sge Limit=srq_limit"},
	{"struct ibv_srq_init_attr", SRQInitAttr{}, false, "Context=srq_context attr"},
	{"struct ibv_qp_cap", QPCap{}, false, "max_send_wr max_recv_wr max_send_sge max_recv_sge max_inline_data"},
	{"struct ibv_qp_init_attr", QPInitAttr{}, false, "Context=qp_context send_cq recv_cq srq cap Type=qp_type sq_sig_all"},
	{"struct ibv_global_route", GlobalRoute{}, false, "dgid flow_label sgid_index hop_limit traffic_class"},
	{"struct ibv_ah_attr", AHAttr{}, false, "grh dlid sl src_path_bits static_rate is_global port_num"},
	{"struct ibv_qp_attr", QPAttr{}, false, "State=qp_state CurState=cur_qp_state path_mtu path_mig_state qkey rq_psn sq_psn " +
		"dest_qp_num Access=qp_access_flags cap AH=ah_attr AltAH=alt_ah_attr pkey_index alt_pkey_index en_sqd_async_notify sq_draining " +
		"max_rd_atomic max_dest_rd_atomic min_rnr_timer port_num timeout retry_cnt rnr_retry alt_port_num alt_timeout " +
		"rate_limit"},
	{"struct ibv_device_attr", DeviceAttr{}, false, "fw_ver node_guid sys_image_guid max_mr_size page_size_cap " +
		"vendor_id vendor_part_id hw_ver max_qp max_qp_wr Caps=device_cap_flags max_sge max_sge_rd max_cq max_cqe max_mr " +
		"max_pd max_qp_rd_atom max_ee_rd_atom max_res_rd_atom max_qp_init_rd_atom max_ee_init_rd_atom atomic_cap max_ee " +
		"max_rdd max_mw max_raw_ipv6_qp max_raw_ethy_qp max_mcast_grp max_mcast_qp_attach max_total_mcast_qp_attach " +
		"max_ah max_fmr max_map_per_fmr max_srq max_srq_wr max_srq_sge max_pkeys local_ca_ack_delay phys_port_cnt"},
	{"struct ibv_port_attr", PortAttr{}, false, "state max_mtu active_mtu gid_tbl_len port_cap_flags max_msg_sz " +
		"bad_pkey_cntr qkey_viol_cntr pkey_tbl_len lid sm_lid lmc max_vl_num sm_sl subnet_timeout init_type_reply " +
		"active_width active_speed phys_state link_layer flags port_cap_flags2"},
	{"struct ibv_async_event", AsyncEvent{}, false, "element Type=event_type"},
	{"struct ibv_device", deviceLayout{}, false, "dummy=_ops node_type transport_type name dev_name dev_path ibdev_path"},
	{"struct ibv_context", contextLayout{}, true, "device ops cmd_fd async_fd num_comp_vectors"},
	{"struct ibv_context_ops", contextOps{}, false,
		"alloc_mw bind_mw dealloc_mw poll_cq req_notify_cq post_srq_recv post_send post_recv"},
	{"struct ibv_pd", pdLayout{}, false, "context handle"},
	{"struct ibv_mr", mrLayout{}, false, "context pd addr length handle lkey rkey"},
	{"struct ibv_mw", mwLayout{}, false, "context pd rkey handle kind=type"},
	{"struct ibv_comp_channel", compChannelLayout{}, false, "context fd refcnt"},
	{"struct ibv_cq", cqLayout{}, true, "context channel cq_context handle cqe"},
	{"struct ibv_srq", srqLayout{}, true, "context srq_context pd handle"},
	{"struct ibv_qp", qpLayout{}, true, "context qp_context pd send_cq recv_cq srq handle num=qp_num state kind=qp_type"},
	{"struct rdma_conn_param", connParamLayout{}, false, "private_data private_data_len responder_resources " +
		"initiator_depth flow_control retry_count rnr_retry_count srq qp_num"},
	{"struct rdma_ud_param", udParamLayout{}, false, "private_data private_data_len ah=ah_attr qp_num qkey"},
	{"struct rdma_cm_event", cmEventLayout{}, false, "id listen_id event status param.conn"},
	{"struct rdma_event_channel", eventChannelLayout{}, false, "fd"},
	{"struct rdma_cm_id", idLayout{}, false, "verbs channel context qp src=route.addr.src_storage dst=route.addr.dst_storage " +
		"route.addr.addr.ibaddr.sgid route.addr.addr.ibaddr.dgid route.addr.addr.ibaddr.pkey route.path_rec " +
		"route.num_paths ps port_num event send_cq_channel send_cq recv_cq_channel recv_cq srq pd qp_type"},
	{"struct sockaddr_storage", sockaddr{}, false, "family=ss_family data=SOCKADDR_REST"},
	{"union ibv_gid", GID{}, true, ""}, // its alignment is that of GlobalRoute
}

// expectations are lines "C expression, value" that a C program prints too.
func (m mirror) expectations(t *testing.T) []string {
	t.Helper()
	typ := reflect.TypeOf(m.v)
	var out []string
	add := func(expr string, v uintptr) { out = append(out, fmt.Sprintf("%s = %d", expr, v)) }
	if !m.part {
		add("sizeof("+m.c+")", typ.Size())
	}
	if typ.Kind() != reflect.Struct {
		add("sizeof("+m.c+")", typ.Size())
		return out
	}
	names := strings.Fields(m.fields)
	for i := range typ.NumField() {
		f := typ.Field(i)
		if f.Name == "_" {
			continue
		}
		if len(names) == 0 {
			t.Fatalf("%s: no C name is given for %s", typ, f.Name)
		}
		own, name, other := strings.Cut(names[0], "=")
		names = names[1:]
		if !other {
			name = own
			own = strings.ReplaceAll(name[strings.LastIndexByte(name, '.')+1:], "_", "")
		}
		if !strings.EqualFold(own, f.Name) {
			t.Errorf("%s has %s where %s has %s", typ, f.Name, m.c, name)
		}
		if name == "SOCKADDR_REST" { // not a field: what follows the family
			add("sizeof("+m.c+") - 2", f.Type.Size())
			continue
		}
		add("offsetof("+m.c+", "+name+")", f.Offset)
		add("sizeof((("+m.c+"*)0)->"+name+")", f.Type.Size())
	}
	if len(names) > 0 {
		t.Errorf("%s has no fields for %v", typ, names)
	}
	return out
}
