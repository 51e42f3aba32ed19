package abi

// ForgetMark is the Text of the StmtRequire that stands for `forget x`. Its
// condition is false: a host that knows what it means refuses the call before
// it runs, and any other host sees it fail.
const ForgetMark = "forget;"
