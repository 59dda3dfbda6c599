// Package telemetry counts and times what goes to the clouds, by a decorator around a driver's kinds, so
// that neither drivers nor the reconciler know of metrics. Labels are bounded: no names of objects.
package telemetry
