// Package ci holds .ci/run and tools/test to what they promise whoever reads their output: a line for each stage and each package while they run, and
// at the end all that failed, each with the command that repeats it; and what hangs is ended.
package ci
