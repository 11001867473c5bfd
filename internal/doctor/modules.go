package doctor

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/godapl/godapl/internal/sysrdma"
)

// modules looks at devices and kernel modules. The folders of a module's class tell whether
// it is there, also if it is built into the kernel.
func (e *exam) modules() {
	e.required()
	e.cards()
	if !e.hasDevices() {
		found := "there is no /" + sysrdma.Class
		if e.there(sysrdma.Class) {
			found = "/" + sysrdma.Class + " is empty"
		}
		e.Find("device.none", e.someInterface(), found)
		return
	}
	for _, d := range e.Devices {
		e.Fact("device", d.Name+": "+d.Transport)
	}
	if !e.there("sys/class/infiniband_verbs") {
		e.Find("module.ib_uverbs", "", "there is no /sys/class/infiniband_verbs")
	}
	if !e.there("sys/class/misc/rdma_cm") {
		e.Find("module.rdma_ucm", "", "there is no /sys/class/misc/rdma_cm")
	}
}

func (e *exam) required() {
	want := e.options.Device
	if want == "" || want == "any" && e.hasDevices() ||
		slices.ContainsFunc(e.Devices, func(d sysrdma.Device) bool { return d.Name == want }) {
		return
	}
	var names []string
	for _, d := range e.Devices {
		names = append(names, d.Name)
	}
	found := "the kernel lists no device"
	if len(names) > 0 {
		found = "the kernel lists " + strings.Join(names, ", ")
	}
	e.Find("device.required", want, found)
}

// driverModules are network drivers with an RDMA part in a module of its own, and that module.
var driverModules = map[string]string{
	"mlx4_core": "mlx4_ib", "mlx5_core": "mlx5_ib", "bnxt_en": "bnxt_re", "cxgb4": "iw_cxgb4",
	"qede": "qedr", "hns3": "hns_roce_hw_v2", "ionic": "ionic_rdma",
}

// cards looks for PCI cards whose network driver has an RDMA part that is not loaded.
func (e *exam) cards() {
	const dir = "sys/bus/pci/devices"
	cards, _ := fs.ReadDir(e.Root, dir)
	for _, c := range cards {
		at := path.Join(dir, c.Name())
		if e.there(path.Join(at, "infiniband")) {
			continue
		}
		link, err := fs.ReadLink(e.Root, path.Join(at, "driver"))
		driver := path.Base(link)
		if err != nil && strings.HasPrefix(sysrdma.Text(e.Root, path.Join(at, "class")), "0x0207") {
			// modprobe takes the card's own name for the drivers that claim it, whoever has made it.
			module := textOr(sysrdma.Text(e.Root, path.Join(at, "modalias")), "mlx5_ib")
			e.Find("device.unclaimed", module, "the InfiniBand card at PCI "+c.Name()+" has no driver")
		} else if module := driverModules[driver]; err == nil && module != "" && !e.there("sys/module/"+module) {
			e.Find("device.unclaimed", module, "the card at PCI "+c.Name()+" (driver "+driver+") has no RDMA device, and the module "+module+" is not loaded")
		}
	}
}

// someInterface is an interface on which a software device could be made.
func (e *exam) someInterface() string {
	for _, i := range e.interfaces {
		if i.Up && !i.Loopback && len(i.Addresses) > 0 {
			return i.Name
		}
	}
	return "lo"
}

func (e *exam) there(name string) bool {
	_, err := fs.Stat(e.Root, name)
	return err == nil
}
