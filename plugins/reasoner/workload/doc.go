// Package workload holds the rule programs by which the reasoner is measured,
// with generators of their facts. A program is written once, as text, from
// which come the reasoner's own form and that of other engines, so that all
// answer the same question. Facts depend on fixed seeds only.
package workload
