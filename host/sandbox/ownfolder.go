package sandbox

// OwnFolder makes a folder of the user's own if it is missing, and refuses one
// that is another user's or open to others: what lies in it is believed.
func OwnFolder(dir string) error { return ownDir(dir) }
