package sandbox

// RaceDetector says whether the tests run under the race detector.
const RaceDetector = raceDetector

// ProcessorTime is processorTime, for the tests outside of the package.
var ProcessorTime = processorTime
