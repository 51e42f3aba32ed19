package cli

import (
	"fmt"

	"github.com/ox-mcp/ox-mcp/host/runtime"
	"github.com/spf13/pflag"
)

// receiptsFlags are the flags of a verb that keeps receipts of tests.
type receiptsFlags struct {
	file   string
	update bool
}

func (r *receiptsFlags) define(f *pflag.FlagSet) {
	f.StringVar(&r.file, "receipts", "", "compare the tests' receipts with those in this file; it is made where it is missing")
	f.BoolVar(&r.update, "update-receipts", false, "write the file of receipts anew")
}

func (r *receiptsFlags) valid(filter string) error {
	switch {
	case r.update && r.file == "":
		return runtime.Invalid("--update-receipts", "--receipts FILE beside it", "no file", "")
	case r.update && filter != "":
		return runtime.Invalid("--update-receipts", "no --filter beside it: a file holds the receipts of all tests", "a filter", "")
	}
	return nil
}

// receipts compares the receipts of a run with the file, or writes it. A
// difference ends with status 1. A frozen run writes nothing that it was not
// told to.
func (a *app) receipts(flags *receiptsFlags, now *runtime.Receipts, partial bool) error {
	path := a.full(flags.file)
	var old *runtime.Receipts
	var err error
	if !flags.update {
		if old, err = runtime.ReadReceipts(path); err != nil {
			return err
		}
	}
	switch {
	case old != nil:
		return a.compareReceipts(flags.file, old, now, partial)
	case !flags.update && (partial || a.flagBool("frozen")):
		fmt.Fprintf(a.env.Err, "receipts: there is no %s to compare with; run all tests with --receipts to make it\n", flags.file)
		return errRefused
	}
	if err := runtime.WriteReceipts(path, now); err != nil {
		return err
	}
	fmt.Fprintf(a.env.Err, "receipts: wrote %s of %s\n", flags.file, count(len(now.Tests), "test"))
	return nil
}

func (a *app) compareReceipts(file string, old, now *runtime.Receipts, partial bool) error {
	differences := old.Differences(now, partial)
	if len(differences) == 0 {
		fmt.Fprintf(a.env.Err, "receipts: %s equal to %s\n", count(len(now.Tests), "test"), file)
		return nil
	}
	for _, d := range differences {
		fmt.Fprintf(a.env.Err, "receipts: %s\n", d)
	}
	fmt.Fprintf(a.env.Err, "receipts: not equal to %s; if that is meant, write it anew with --update-receipts\n", file)
	return errRefused
}
