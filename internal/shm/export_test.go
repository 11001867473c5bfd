package shm

// Unmap ends a mapping of Extent.Map.
func Unmap(b []byte) {
	_ = sysMunmap(b)
	DropMapping()
}

// SysMappings returns the number of mappings of the process, and the limit.
func SysMappings() (all, most int) { return sysMappings() }
