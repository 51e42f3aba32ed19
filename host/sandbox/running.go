package sandbox

import "github.com/ox-mcp/ox-mcp/abi"

// findRunning asks a guest that says which rule it runs where it says so.
func (in *Instance) findRunning() error {
	if in.running != 0 || in.module.rewritten.Exports[abi.ExportRunning] != typeGive {
		return nil
	}
	at, err := in.invoke(abi.ExportRunning)
	if err == nil {
		in.running = uint32(at[0])
	}
	return err
}

// ruleRunning is one more than the rule that the guest says it runs, or 0. It is
// the guest's word: whoever uses it looks whether there is such a rule.
func (in *Instance) ruleRunning() int {
	if in.running == 0 {
		return 0
	}
	n, ok := in.wasm.Memory().ReadUint32Le(in.running)
	if !ok {
		return 0
	}
	return int(n)
}
