/* A program of the kind that was written for VIA: a server that lends memory, and a client
   that writes to it and reads it back. Its port to Go is ../main.go. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vipl.h>

#define SIZE 4096
#define AREA (SIZE + 1024)

struct place {
	VIP_UINT64 addr;
	VIP_MEM_HANDLE handle;
};

static VIP_NIC_HANDLE nic;
static VIP_PROTECTION_HANDLE ptag;
static VIP_VI_HANDLE vi;
static VIP_CQ_HANDLE cq;
static VIP_MEM_HANDLE handle;
static char *area;

static void check(const char *what, VIP_RETURN ret)
{
	if (ret != VIP_SUCCESS) {
		fprintf(stderr, "%s: %d\n", what, ret);
		exit(1);
	}
}

static VIP_NET_ADDRESS *address(const char *discriminator)
{
	VIP_NIC_ATTRIBUTES attrs;
	VIP_NET_ADDRESS *a;

	check("VipQueryNic", VipQueryNic(nic, &attrs));
	a = malloc(sizeof *a + attrs.NicAddressLen + 16);
	a->HostAddressLen = attrs.NicAddressLen;
	a->DiscriminatorLen = 16;
	memcpy(a->HostAddress, attrs.LocalNicAddress, attrs.NicAddressLen);
	memcpy(a->HostAddress + attrs.NicAddressLen, discriminator, 16);
	return a;
}

static void setup(const char *name)
{
	VIP_MEM_ATTRIBUTES mem;
	VIP_VI_ATTRIBUTES attrs;

	check("VipOpenNic", VipOpenNic(name, &nic));
	check("VipCreatePtag", VipCreatePtag(nic, &ptag));
	posix_memalign((void **)&area, VIP_DESCRIPTOR_ALIGNMENT, AREA);
	mem.Ptag = ptag;
	mem.EnableRdmaWrite = VIP_TRUE;
	mem.EnableRdmaRead = VIP_TRUE;
	check("VipRegisterMem", VipRegisterMem(nic, area, AREA, &mem, &handle));
	check("VipCreateCQ", VipCreateCQ(nic, 64, &cq));
	memset(&attrs, 0, sizeof attrs);
	attrs.ReliabilityLevel = VIP_SERVICE_RELIABLE_DELIVERY;
	attrs.MaxTransferSize = SIZE;
	attrs.Ptag = ptag;
	attrs.EnableRdmaWrite = VIP_TRUE;
	attrs.EnableRdmaRead = VIP_TRUE;
	check("VipCreateVi", VipCreateVi(nic, &attrs, NULL, cq, &vi));
}

static VIP_DESCRIPTOR *descriptor(int i)
{
	VIP_DESCRIPTOR *desc = (VIP_DESCRIPTOR *)(area + SIZE + 64 * i);

	memset(desc, 0, 64);
	return desc;
}

static void post_recv(int i)
{
	VIP_DESCRIPTOR *desc = descriptor(i);

	desc->CS.SegCount = 1;
	desc->CS.Length = 64;
	desc->DS[0].Local.Data.Address = area + 64 * i;
	desc->DS[0].Local.Handle = handle;
	desc->DS[0].Local.Length = 64;
	check("VipPostRecv", VipPostRecv(vi, desc, handle));
}

static VIP_DESCRIPTOR *next(void)
{
	VIP_DESCRIPTOR *desc;
	VIP_VI_HANDLE which;
	VIP_BOOLEAN queue;
	VIP_RETURN ret;

	do {
		ret = VipCQDone(cq, &which, &queue);
	} while (ret == VIP_NOT_DONE);
	check("VipCQDone", ret);
	if (which != vi || queue != VIP_TRUE)
		check("an entry for another queue", VIP_ERROR);
	check("VipRecvDone", VipRecvDone(vi, &desc));
	return desc;
}

static void request(VIP_DESCRIPTOR *desc)
{
	VIP_DESCRIPTOR *done;

	check("VipPostSend", VipPostSend(vi, desc, handle));
	check("VipSendWait", VipSendWait(vi, VIP_INFINITE, &done));
	if (done != desc)
		check("another descriptor", VIP_ERROR);
}

static void server(void)
{
	VIP_CONN_HANDLE conn;
	VIP_NET_ADDRESS remote;
	VIP_VI_ATTRIBUTES attrs;
	VIP_DESCRIPTOR *desc;
	VIP_VI_HANDLE which;
	VIP_BOOLEAN queue;
	struct place *place = (struct place *)area;

	post_recv(1);
	check("VipConnectWait", VipConnectWait(nic, address("port-of-server-A"), VIP_INFINITE, &remote, &attrs, &conn));
	check("VipConnectAccept", VipConnectAccept(conn, vi));
	place->addr = (VIP_UINT64)(area + 2048);
	place->handle = handle;
	desc = descriptor(0);
	desc->CS.SegCount = 1;
	desc->CS.Control = VIP_CONTROL_OP_SENDRECV;
	desc->CS.Length = sizeof *place;
	desc->DS[0].Local.Data.Address = place;
	desc->DS[0].Local.Handle = handle;
	desc->DS[0].Local.Length = sizeof *place;
	request(desc);
	desc = next();
	if ((desc->CS.Status & VIP_STATUS_OP_MASK) != VIP_STATUS_OP_REMOTE_RDMA_WRITE)
		check("no write", VIP_ERROR);
	printf("written: %.*s\n", (int)desc->CS.ImmediateData, area + 2048);
	post_recv(1);
	VipCQWait(cq, VIP_INFINITE, &which, &queue); /* the client has gone */
	VipRecvDone(vi, &desc);
}

static void client(void)
{
	VIP_VI_ATTRIBUTES attrs;
	VIP_DESCRIPTOR *desc;
	VIP_RETURN ret;
	struct place *place = (struct place *)(area + 64);

	post_recv(1);
	do {
		ret = VipConnectRequest(vi, address("port-of-client-0"), address("port-of-server-B"), 10000, &attrs);
		if (ret != VIP_NO_MATCH)
			check("somebody else answers", VIP_ERROR);
		ret = VipConnectRequest(vi, address("port-of-client-0"), address("port-of-server-A"), 10000, &attrs);
	} while (ret == VIP_NO_MATCH);
	check("VipConnectRequest", ret);
	next();

	strcpy(area + 512, "from a program of 1998");
	desc = descriptor(2);
	desc->CS.SegCount = 2;
	desc->CS.Control = VIP_CONTROL_OP_RDMAWRITE | VIP_CONTROL_IMMEDIATE;
	desc->CS.ImmediateData = 22;
	desc->CS.Length = 22;
	desc->DS[0].Remote.Data.AddressBits = place->addr;
	desc->DS[0].Remote.Handle = place->handle;
	desc->DS[1].Local.Data.Address = area + 512;
	desc->DS[1].Local.Handle = handle;
	desc->DS[1].Local.Length = 22;
	request(desc);

	desc->CS.Status = 0;
	desc->CS.Control = VIP_CONTROL_OP_RDMAREAD | VIP_CONTROL_QFENCE;
	desc->DS[1].Local.Data.Address = area + 768;
	request(desc);
	printf("read back: %.*s\n", 22, area + 768);
}

int main(int argc, char **argv)
{
	setup(argv[1]);
	if (strcmp(argv[2], "server") == 0)
		server();
	else
		client();
	check("VipDisconnect", VipDisconnect(vi));
	check("VipDestroyVi", VipDestroyVi(vi));
	check("VipDestroyCQ", VipDestroyCQ(cq));
	check("VipDeregisterMem", VipDeregisterMem(nic, area, handle));
	check("VipDestroyPtag", VipDestroyPtag(nic, ptag));
	check("VipCloseNic", VipCloseNic(nic));
	return 0;
}
