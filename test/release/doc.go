// Package release releases the source as it is, in a repository of its own with the tags that a release has, and shows what
// others get from it. Its tests are all there is to it.
package release
