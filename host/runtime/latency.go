package runtime

import "time"

// latencyBuckets is how many buckets a histogram has: bucket i holds what took
// up to 4^i times 100 µs, the last one everything beyond.
const latencyBuckets = 11

// latency counts the wall time of calls. The zero value has counted nothing.
type latency struct {
	calls   uint64
	total   time.Duration
	slowest time.Duration
	buckets [latencyBuckets]uint64
}

func (l *latency) add(took time.Duration) {
	l.calls++
	l.total += took
	l.slowest = max(l.slowest, took)
	i, most := 0, bucketEnd(0)
	for i < latencyBuckets-1 && took > most {
		i++
		most = bucketEnd(i)
	}
	l.buckets[i]++
}

func bucketEnd(i int) time.Duration { return 100 * time.Microsecond << (2 * i) }

// merge adds what another one has counted.
func (l *latency) merge(o *latency) {
	l.calls += o.calls
	l.total += o.total
	l.slowest = max(l.slowest, o.slowest)
	for i, n := range o.buckets {
		l.buckets[i] += n
	}
}

// upTo counts the calls up to the end of each bucket that has one.
func (l *latency) upTo() map[time.Duration]uint64 {
	out := map[time.Duration]uint64{}
	sum := uint64(0)
	for i, n := range l.buckets[:latencyBuckets-1] {
		sum += n
		out[bucketEnd(i)] = sum
	}
	return out
}

// shown is the payload; nil where nothing was counted.
func (l *latency) shown() *Latency {
	if l.calls == 0 {
		return nil
	}
	out := &Latency{Mean: (l.total / time.Duration(l.calls)).Microseconds(), Max: l.slowest.Microseconds(), Histogram: []Bucket{}}
	for i, n := range l.buckets {
		if n == 0 {
			continue
		}
		b := Bucket{Calls: n}
		if i < latencyBuckets-1 {
			b.UpTo = bucketEnd(i).Microseconds()
		}
		out.Histogram = append(out.Histogram, b)
	}
	return out
}

// PluginStats describes every build that may be called, with what it did since
// the program began: the data of argon_status.plugins and of `ox-mcp plugin
// stats`. Frozen runs leave out what differs from run to run.
func (s *Service) PluginStats() []PluginStatus {
	list := s.pluginStates()
	for i := range list {
		if s.cfg.Frozen {
			list[i].Latency, list[i].Compiled = nil, ""
		}
	}
	return list
}
