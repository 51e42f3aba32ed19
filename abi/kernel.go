package abi

// The import by which a reasoner build loads and calls kernels: small modules
// that it makes while it runs, and that work on its own memory.
const (
	ImportKernel     = "ox:plugin/kernel@" + Version
	ImportKernelLoad = ImportKernel + "#load" // (address, length) to a handle, or a KernelStatus below 0
	ImportKernelCall = ImportKernel + "#call" // (handle, function, address, count) to a KernelStatus
	// ImportKernelIfGranted has the same functions for a build that can do without
	// them. Any module may import it; without the grant its load answers
	// KernelNotGranted.
	ImportKernelIfGranted = "ox:plugin/kernel-if-granted@" + Version
	// KernelMemory is the name under ImportKernel by which a kernel imports its
	// owner's memory. A kernel can import nothing else.
	KernelMemory = "memory"
)

// What an instance may load. The kernels of an instance together may ask no
// more of the compiler than one module may.
const (
	MaxKernels     = 64
	MaxKernelBytes = 1 << 20
)

// KernelStatus is what ox:plugin/kernel answers. Handles are 0 and above.
type KernelStatus int32

// The statuses. The three before the last are of call; every other refusal is of
// load, and depends on nothing but the kernel's bytes, what was loaded before it,
// and the grant.
const (
	KernelOK        KernelStatus = 0
	KernelInvalid   KernelStatus = -1 // no valid module
	KernelForbidden KernelStatus = -2 // a module, but not one that a kernel may be
	KernelTooLarge  KernelStatus = -3 // above a size limit
	KernelTooMany   KernelStatus = -4 // MaxKernels are there
	KernelUnknown   KernelStatus = -5 // no kernel of that handle
	KernelFunction  KernelStatus = -6 // no function of that number
	KernelCount     KernelStatus = -7 // count is not the larger of the function's parameters and results

	KernelNotGranted KernelStatus = -8 // the build does without kernels (ImportKernelIfGranted)
)
