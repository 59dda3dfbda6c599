package resource

import "strings"

// NetworkPath returns the name of a VPC network without what makes a URL of it.
func NetworkPath(name string) string {
	if i := strings.Index(name, "projects/"); i > 0 && strings.HasPrefix(name, "https://") {
		return name[i:]
	}
	return name
}
