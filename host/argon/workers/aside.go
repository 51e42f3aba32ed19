package workers

// Aside runs do beside what its caller does until it calls wait, or, where count
// is 1, in wait. wait has to be called; it panics with what do panicked.
func Aside(count int, do func()) (wait func()) {
	if count < 2 {
		return do
	}
	done := make(chan any, 1)
	go func() {
		var cause any = failed{}
		defer func() {
			if _, unfinished := cause.(failed); unfinished {
				cause = recover()
			}
			done <- cause
		}()
		do()
		cause = nil
	}()
	return func() {
		if cause := <-done; cause != nil {
			panic(cause)
		}
	}
}

// failed is in the place of what a step panicked until that is known.
type failed struct{}
