package abi

func (c *coder) description(p *Description) {
	c.fields(4)
	c.string(&p.ABI)
	c.string(&p.World)
	c.string(&p.Name)
	c.string(&p.Version)
}

func (c *coder) limits(p *Limits) {
	c.fields(14)
	c.uint64(&p.Fuel)
	c.uint64(&p.Memory)
	c.uint64(&p.Deadline)
	c.uint64(&p.Depth)
	c.uint64(&p.Calls)
	c.uint64(&p.Rounds)
	c.uint64(&p.Derived)
	c.uint64(&p.Rows)
	c.uint64(&p.ResultBytes)
	c.uint64(&p.HostCalls)
	c.uint64(&p.HostBytes)
	c.uint64(&p.OutputBytes)
	c.uint64(&p.SourceBytes)
	c.uint64(&p.BodyBytes)
}

func (c *coder) call(p *Call) {
	c.fields(3)
	c.value(&p.Now)
	c.fixed(p.Seed[:])
	c.limits(&p.Limits)
}

func (c *coder) failure(p *Failure) {
	c.fields(5)
	c.string(&p.Code)
	c.string(&p.Message)
	c.span(&p.Span)
	optional(c, &p.Limit, (*coder).breach)
	c.int(&p.Rule)
}

func (c *coder) breach(p *Breach) {
	c.fields(3)
	c.string(&p.Limit)
	c.uint64(&p.Allowed)
	c.uint64(&p.Used)
}

func (c *coder) work(p *Work) {
	more := c.fieldsAndMore(2, p.ByDemand > 0)
	c.uint64(&p.Rounds)
	c.uint64(&p.Derived)
	if more {
		c.uint64(&p.ByDemand)
		c.given(p.ByDemand > 0)
	}
}

func (c *coder) loadRequest(p *LoadRequest) {
	c.fields(2)
	c.call(&p.Call)
	c.program(&p.Program)
}

func (c *coder) loadResponse(p *LoadResponse) {
	c.fields(1)
	c.work(&p.Work)
}

func (c *coder) delta(p *Delta) {
	c.fields(3)
	c.int(&p.Relation)
	c.bool(&p.Remove)
	c.frame(&p.Frame)
}

func (c *coder) assertRequest(p *AssertRequest) {
	c.fields(2)
	c.call(&p.Call)
	list(c, &p.Deltas, (*coder).delta)
}

func (c *coder) assertResponse(p *AssertResponse) {
	c.fields(3)
	c.uint64(&p.Added)
	c.uint64(&p.Removed)
	c.work(&p.Work)
}

func (c *coder) page(p *Page) {
	c.fields(2)
	c.uint64(&p.Limit)
	list(c, &p.After, (*coder).value)
}

func (c *coder) queryRequest(p *QueryRequest) {
	c.fields(5)
	c.call(&p.Call)
	c.int(&p.Query)
	list(c, &p.Args, optionalValue)
	c.page(&p.Page)
	optional(c, &p.Extension, (*coder).extension)
}

func (c *coder) rows(p *Rows) {
	c.fields(6)
	c.frame(&p.Frame)
	c.uint64(&p.Total)
	c.bool(&p.More)
	c.hidden(&p.Hidden)
	list(c, &p.Tags, (*coder).tag)
	c.work(&p.Work)
}

func (c *coder) hidden(p *Hidden) {
	c.fields(3)
	c.uint64(&p.Can)
	c.uint64(&p.Both)
	c.uint64(&p.Not)
}

func (c *coder) tag(p *Tag) {
	c.fields(2)
	c.int(&p.Rule)
	c.uint32(&p.Round)
}

func (c *coder) deriveRequest(p *DeriveRequest) {
	c.fields(4)
	c.call(&p.Call)
	c.int(&p.Relation)
	c.page(&p.Page)
	c.bool(&p.Tags)
}

func (c *coder) explainRequest(p *ExplainRequest) {
	more := c.fieldsAndMore(7, p.Repairs > 0)
	c.call(&p.Call)
	c.int(&p.Relation)
	list(c, &p.Tuple, (*coder).value)
	c.uint32(&p.MaxDepth)
	c.uint32(&p.MaxNodes)
	c.uint32(&p.Alternative)
	list(c, &p.Path, (*coder).uint32)
	if more {
		c.uint32(&p.Repairs)
		c.given(p.Repairs > 0)
	}
}

func (c *coder) explanation(p *Explanation) {
	more := c.fieldsAndMore(4, p.Repairs != nil)
	c.bool(&p.Derived)
	list(c, &p.Nodes, (*coder).proofNode)
	list(c, &p.WhyNot, (*coder).whyNotNode)
	c.work(&p.Work)
	if more {
		optional(c, &p.Repairs, (*coder).repairSearch)
		c.given(p.Repairs != nil)
	}
}

func (c *coder) repairSearch(p *RepairSearch) {
	later := 0
	switch {
	case p.Limit != nil:
		later = 3
	case p.Tried > 0:
		later = 2
	case p.Removals:
		later = 1
	}
	later = c.fieldsAndLater(3, 3, later)
	c.uint32(&p.MaxSize)
	c.bool(&p.Complete)
	list(c, &p.Repairs, (*coder).repair)
	if later > 0 {
		c.bool(&p.Removals)
		c.given(p.Removals || later > 1)
	}
	if later > 1 {
		c.uint64(&p.Tried)
		c.given(p.Tried > 0 || later > 2)
	}
	if later > 2 {
		optional(c, &p.Limit, (*coder).breach)
		c.given(p.Limit != nil)
	}
}

func (c *coder) repair(p *Repair) {
	more := c.fieldsAndMore(1, len(p.Removed) > 0)
	list(c, &p.Facts, (*coder).repairFact)
	if more {
		list(c, &p.Removed, (*coder).repairFact)
		c.given(len(p.Removed) > 0)
	}
}

func (c *coder) repairFact(p *RepairFact) {
	c.fields(2)
	c.int(&p.Relation)
	list(c, &p.Tuple, (*coder).value)
}

func (c *coder) proofNode(p *ProofNode) {
	c.fields(11)
	enum(c, &p.Kind, proofKindCount-1)
	c.int(&p.Relation)
	list(c, &p.Tuple, optionalValue)
	c.int(&p.Rule)
	c.uint32(&p.Round)
	c.int(&p.Atom)
	list(c, &p.Bindings, optionalValue)
	list(c, &p.Children, (*coder).int)
	c.uint32(&p.Alternatives)
	c.uint32(&p.Size)
	list(c, &p.Path, (*coder).uint32)
}

func (c *coder) whyNotNode(p *WhyNotNode) {
	c.fields(3)
	c.int(&p.Relation)
	list(c, &p.Tuple, optionalValue)
	list(c, &p.Attempts, (*coder).attempt)
}

func (c *coder) attempt(p *Attempt) {
	later := 0
	switch {
	case p.BindingsCut:
		later = 3
	case p.NearCut:
		later = 2
	case len(p.States) > 0:
		later = 1
	}
	later = c.fieldsAndLater(8, 3, later)
	c.int(&p.Rule)
	c.int(&p.Reached)
	c.int(&p.Atoms)
	c.int(&p.Failed)
	list(c, &p.Bindings, optionalValue)
	enum(c, &p.Reason, whyNotReasonCount-1)
	list(c, &p.NearMiss, (*coder).value)
	c.int(&p.Child)
	if later > 0 {
		list(c, &p.States, (*coder).atomState)
		c.given(len(p.States) > 0 || later > 1)
	}
	if later > 1 {
		c.bool(&p.NearCut)
		c.given(p.NearCut || later > 2)
	}
	if later > 2 {
		c.bool(&p.BindingsCut)
		c.given(p.BindingsCut)
	}
}

func (c *coder) atomState(p *AtomState) { enum(c, p, atomStateCount-1) }

func (c *coder) computeRequest(p *ComputeRequest) {
	c.fields(6)
	c.call(&p.Call)
	c.int(&p.Function)
	list(c, &p.Args, (*coder).value)
	optional(c, &p.Expr, (*coder).expr)
	list(c, &p.Slots, optionalValue)
	optional(c, &p.Extension, (*coder).extension)
}

func (c *coder) computeResponse(p *ComputeResponse) {
	c.fields(2)
	c.value(&p.Value)
	c.work(&p.Work)
}

func (c *coder) mutateRequest(p *MutateRequest) {
	c.fields(6)
	c.call(&p.Call)
	c.int(&p.Mutation)
	list(c, &p.Args, (*coder).value)
	list(c, &p.Slots, optionalValue)
	c.bool(&p.Delta)
	optional(c, &p.Extension, (*coder).extension)
}

func (c *coder) mutateResponse(p *MutateResponse) {
	more := c.fieldsAndMore(7, p.Detached)
	list(c, &p.Writes, (*coder).write)
	list(c, &p.Minted, (*coder).minted)
	optionalValue(c, &p.Result)
	list(c, &p.Slots, optionalValue)
	list(c, &p.Violations, (*coder).violations)
	list(c, &p.Changes, (*coder).change)
	c.work(&p.Work)
	if more {
		c.bool(&p.Detached)
		c.given(p.Detached)
	}
}

func (c *coder) write(p *Write) {
	c.fields(5)
	c.int(&p.Relation)
	c.bool(&p.Remove)
	list(c, &p.Tuple, (*coder).value)
	optionalValue(c, &p.ValidFrom)
	optionalValue(c, &p.ValidTo)
}

func (c *coder) minted(p *Minted) {
	c.fields(2)
	c.value(&p.ID)
	c.string(&p.Concept)
}

func (c *coder) change(p *Change) {
	c.fields(3)
	c.int(&p.Relation)
	c.frame(&p.Added)
	c.frame(&p.Removed)
}

func (c *coder) checksRequest(p *ChecksRequest) {
	c.fields(2)
	c.call(&p.Call)
	c.int(&p.Check)
}

func (c *coder) checksResponse(p *ChecksResponse) {
	c.fields(3)
	list(c, &p.Violations, (*coder).violations)
	list(c, &p.Breached, (*coder).checkBreach)
	c.work(&p.Work)
}

func (c *coder) violations(p *Violations) {
	c.fields(2)
	c.int(&p.Check)
	c.frame(&p.Frame)
}

func (c *coder) checkBreach(p *CheckBreach) {
	c.fields(3)
	c.int(&p.Check)
	c.int(&p.Rule)
	c.breach(&p.Limit)
}

func (c *coder) stats(p *Stats) {
	c.fields(3)
	c.uint64(&p.Terms)
	c.uint64(&p.Tuples)
	list(c, &p.Relations, (*coder).relationStats)
}

func (c *coder) relationStats(p *RelationStats) {
	c.fields(3)
	c.int(&p.Relation)
	c.uint64(&p.Tuples)
	c.bool(&p.Current)
}

func (c *coder) evaluateRequest(p *EvaluateRequest) {
	c.fields(7)
	c.call(&p.Call)
	c.string(&p.Check)
	list(c, &p.Constants, (*coder).value)
	list(c, &p.Functions, (*coder).function)
	c.payload(&p.Payload)
	list(c, &p.Columns, (*coder).column)
	c.frame(&p.Frame)
}

func (c *coder) evaluateResponse(p *EvaluateResponse) {
	c.fields(1)
	list(c, &p.Verdicts, (*coder).verdict)
}

func (c *coder) verdict(p *Verdict) {
	c.fields(4)
	c.bool(&p.Drop)
	enum(c, &p.Severity, SeverityHint)
	c.string(&p.Code)
	c.string(&p.Message)
}
