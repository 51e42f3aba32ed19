// Package engine is the reasoner: it evaluates a program's rules bottom-up,
// one strongly connected component at a time and only when something reads
// it, and answers queries, explains, computes and runs mutations over the
// result.
//
// # Bodies
//
// A body is planned (plan.go, step.go) into steps, one an atom, in an order
// chosen by what is bound and how many rows are expected. A step turns a batch
// of bindings, a column a slot, into the next batch (run.go, expr.go,
// nested.go), so that what is done once a row is a loop of package relation and
// not a call. Bodies inside atoms run for a whole batch too: each solution
// carries the number of the outer binding that it continues. A rule that is a
// single join of two scans runs as one loop without batches (fused.go). Where a
// body goes round in a circle, each binding is continued from the atom that has
// the fewest rows for it (meet.go). Where the host grants kernels, a rule that
// carries the load runs as a module that is made for it (kernels.go).
//
// # Components
//
// A component is evaluated by semi-naive rounds (fixpoint.go). The extents of
// its relations are append-only while it is, so the rows of the last round are
// an interval of row numbers. A write makes the components that depend on it
// stale (component.go). The next reader brings them up to date by what their
// sources have gained and lost since (growth.go, maintain.go, guard.go), which
// costs what the change concerns; only where that would be more than an
// evaluation from scratch they start from scratch, and not even then if nothing
// that they read has changed. One that reads undefined tuples is kept up to date
// as two, what holds and what may (upper.go). Removed rows are marked, and dropped
// when they have become many. A limit that is passed marks the component, and
// whatever does not read it goes on.
//
// A component that goes round through negation has the well-founded model. It is
// solved over the ground instances of its rules (gathering.go, ground.go,
// foundation.go), which are kept: a change makes those anew whose heads it
// concerns (reground.go), and opens again, by the stages in which atoms were
// decided, what has lost its ground (record.go, reopen.go, refound.go).
//
// A component that goes round through min or max is run twice: for the best, of
// which each round hands on what got better, and then for what follows from it
// (cost.go). What was offered is kept: a change takes away and adds offers
// (offers.go), and what the folds give otherwise than before changes the rest
// (recost.go, rechoose.go).
//
// # Explanations
//
// No proof is stored: a row's rule and round are, and proofs are found again
// by running the rule's body with its head bound, over the rows of earlier
// rounds (explain.go, derivation.go). So they are well founded, and canonical:
// the same for the same facts, whatever the history. Rounds of an extent that
// has been kept up to date still descend, but are not those of an evaluation
// from scratch, and what a proof comes to is evaluated anew, or asked for by key.
// Why-not looks for the binding that satisfies most atoms of a body (attempt.go),
// and for a fact that is missed by one place (nearmiss.go), for which the tuples
// are enough. Of a relation that has not been evaluated it asks for these by
// demand, and keeps what came as an excerpt of it (excerpt.go, excerpt_body.go).
//
// # Repairs
//
// What would make a fact hold is read off the rules and tried (repair.go,
// candidates.go, blocker.go). A condition that leaves a slot one value gives it
// (determined.go); a least or greatest value, or a count, that is to be another
// says what is missing for that and what has to go (picked.go, bottom.go,
// counted.go).
//
// A place of which the rules do not say what stands there takes the values that
// something names (known.go, places.go), and of others as many as the rules can
// tell apart: of each range that they compare it with one (cells.go, between.go),
// where such a value can help (opens.go) and rules look at it so (guessed.go). A
// place for individuals takes those that are there or may join its concept
// (newcomers.go). Where that leaves something out that may do, the search says
// that it is not complete.
//
// While a proof stands of what a rule asks to be absent, only sets that break it
// are tried (barrier.go, evidence.go, hitting.go): those that take away one of the
// base facts that it rests on (grounds.go). A search ends with its effort
// (effort.go).
//
// # Demand
//
// A query that gives terms, of relations that were not evaluated yet, does not
// evaluate them whole: magic sets confine the rules to what is asked (demand.go,
// adorn.go, worth.go), on levels, as what is denied or folded must be complete
// before it is read (levels.go). So do the proof of a fact, which is the same as
// over the whole (partial.go), and the trial of a repair.
//
// # Calls
//
// What a caller sends along, a body say, is an extension of the program, which a
// call takes away again where it can (extension.go). The order of the rows of an
// answer is kept for its further pages until a fact changes (answer.go, order.go).
// What a mutation changes is told of the relations that rest on what it writes
// (affected.go).
//
// Nothing here recurses over data. Go recursion follows the nesting of bodies
// and expressions in the program, which load bounds.
package engine
