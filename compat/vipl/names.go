package vipl

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"strings"
)

// The names of hosts are in a file, beside the system's resolver. A line is a name and the IP
// address of a NIC, with a port if it has one; a name may have several lines:
//
//	storage-1    10.0.0.1      # comment
//	storage-1    10.0.1.1:7000
//
// Lines of another form are skipped.

// hostsVariable names the file.
const hostsVariable = "GODAPL_VIHOSTS"

// hostsFile is the usual file, which need not exist.
const hostsFile = "/etc/vihosts"

// nameService is the names that NSInit has read.
type nameService struct {
	ready bool
	hosts []host
}

type host struct {
	name    string
	address []byte
}

// NSInit prepares the name service (VipNSInit). nsInitInfo is nil, or a string that names the
// file of hosts; otherwise the environment variable GODAPL_VIHOSTS names it, or it is
// /etc/vihosts, which need not exist. ErrorNameservice if the file cannot be read.
func NSInit(nicHandle NICHandle, nsInitInfo any) Return {
	n := getNIC(nicHandle)
	if n == nil {
		return InvalidParameter
	}
	path, must := os.LookupEnv(hostsVariable)
	if !must {
		path = hostsFile
	}
	switch info := nsInitInfo.(type) {
	case nil:
	case string:
		path, must = info, true
	default:
		return InvalidParameter
	}
	text, err := os.ReadFile(path)
	if err != nil && (must || !errors.Is(err, fs.ErrNotExist)) {
		return ErrorNameservice
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.names = nameService{ready: true, hosts: readHosts(string(text))}
	return Success
}

func readHosts(text string) (hosts []host) {
	for _, f := range twoFields(text) {
		if ip, err := netip.ParseAddr(f[1]); err == nil {
			hosts = append(hosts, host{f[0], ip.Unmap().AsSlice()})
		} else if at, err := netip.ParseAddrPort(f[1]); err == nil {
			hosts = append(hosts, host{f[0], append(at.Addr().Unmap().AsSlice(), byte(at.Port()>>8), byte(at.Port()))})
		}
	}
	return hosts
}

// NSShutdown ends the name service (VipNSShutdown). ErrorNameservice if it was not prepared.
func NSShutdown(nicHandle NICHandle) Return {
	n := getNIC(nicHandle)
	if n == nil {
		return InvalidParameter
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.names.ready {
		return ErrorNameservice
	}
	n.names = nameService{}
	return Success
}

// service is the names, if NSInit was called.
func (n *nic) service() (nameService, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.names, n.names.ready
}

// known is the addresses in the file.
func (n *nic) known() (list []NetAddress) {
	s, _ := n.service()
	for _, h := range s.hosts {
		list = append(list, NetAddress{HostAddressLen: uint16(len(h.address)), HostAddress: bytes.Clone(h.address)})
	}
	return list
}

// NSGetHostByName returns an address of the NIC of a host (VipNSGetHostByName): the nameIndex-th
// of those in the file, or else in the system's resolver, which it may wait for. It sets the
// host's part of the address; the discriminator stays. ErrorNameservice if there are not so
// many, or the name service is not prepared.
func NSGetHostByName(nicHandle NICHandle, name string, address *NetAddress, nameIndex uint32) Return {
	n := getNIC(nicHandle)
	if n == nil || address == nil || name == "" {
		return InvalidParameter
	}
	s, ok := n.service()
	if !ok {
		return ErrorNameservice
	}
	var found [][]byte
	for _, h := range s.hosts {
		if strings.EqualFold(h.name, name) {
			found = append(found, h.address)
		}
	}
	if len(found) == 0 {
		ips, _ := net.DefaultResolver.LookupNetIP(n.ctx, "ip", name)
		for _, ip := range ips {
			found = append(found, ip.Unmap().AsSlice())
		}
	}
	if uint64(nameIndex) >= uint64(len(found)) {
		return ErrorNameservice
	}
	var discriminator []byte
	if len(address.HostAddress) >= int(address.HostAddressLen)+int(address.DiscriminatorLen) {
		discriminator = address.Discriminator()
	}
	*address = *MakeNetAddress(found[nameIndex], discriminator)
	return Success
}

// NSGetHostByAddr returns the name of the host of an address (VipNSGetHostByAddr): the first
// in the file, or else that of the system's resolver, which it may wait for.
func NSGetHostByAddr(nicHandle NICHandle, address *NetAddress, name *string) Return {
	n := getNIC(nicHandle)
	if n == nil || !address.valid() || name == nil {
		return InvalidParameter
	}
	s, ok := n.service()
	if !ok {
		return ErrorNameservice
	}
	for _, h := range s.hosts {
		if bytes.Equal(h.address, address.Host()) {
			*name = h.name
			return Success
		}
	}
	if found, ok := reverse(n.ctx, address.Host()); ok {
		*name = found
		return Success
	}
	return ErrorNameservice
}

func reverse(ctx context.Context, host []byte) (string, bool) {
	if len(host) == 6 || len(host) == 18 {
		host = host[:len(host)-2]
	}
	ip, _ := netip.AddrFromSlice(host)
	names, err := net.DefaultResolver.LookupAddr(ctx, ip.String())
	if err != nil || len(names) == 0 {
		return "", false
	}
	return strings.TrimSuffix(names[0], "."), true
}
