// Package imports holds the rules of who may import whom, and how large types and functions may be. The rules keep a cloud replaceable: the APIs know no
// code, a driver knows no controller, and a controller knows no cloud.
package imports
