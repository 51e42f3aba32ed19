package diag

// String returns the severity as it stands in JSON and on a terminal: "error",
// "warning", "info", "hint".
func (s Severity) String() string {
	return [...]string{"error", "warning", "info", "hint"}[s&3]
}
