package errno

import "errors"

// NoDescriptors reports whether the process or the system has no more descriptors.
func NoDescriptors(err error) bool { return errors.Is(err, Files) || errors.Is(err, AllFiles) }
