package sandbox

// RaceDetector says whether the tests run under the race detector.
const RaceDetector = raceDetector
