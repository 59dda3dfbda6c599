// Package imports holds the rules of who may import whom, which keep a cloud replaceable: the APIs know no
// code, a driver knows no controller, a controller knows no cloud. Its test is all there is to it.
package imports
