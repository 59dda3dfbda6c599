package preview

// linesOf returns what a report says in lines.
func linesOf(r Report, err error) ([]string, error) { return r.Lines(), err }
