package driver

import (
	"encoding/json"
	"fmt"
)

// A ListRequest asks for one page of the objects of a kind.
type ListRequest struct {
	// Page is the token of the page to return, from Page.Next of the previous page. It is empty for the first page. A
	// token is valid only for requests of the same session, kind and Cluster. A token that is refused is an error with
	// the code PageExpired; then start again with the first page.
	Page string
	// Parent asks for the children of one parent, for a kind with a parent. It is zero for other kinds.
	Parent ParentRef
	// Cluster asks only for objects whose mark has this cluster id; empty for all objects. It saves calls where the
	// cloud can search by marks, and has no effect elsewhere. A page may contain other objects too, so check the marks.
	Cluster string
}

// A Page is a part of a cloud's list of one kind.
//
// An object that is missing from a list may exist. The list may be older than the object, or the object may have moved
// between two pages. A list has one account, and often one region. The cloud may leave out objects that the credentials
// can't see, or a region that does not respond. Only Observe decides that an object is Absent. An object in a list
// existed when the cloud made the list.
type Page struct {
	// Location is the location of the listed objects. It is empty for a list of the objects in all locations of the
	// account.
	Location string
	// Objects are in no particular order. A page without objects need not be the last one.
	Objects []Listed
	// Next is the token of the next page; empty on the last page.
	Next string
	// Lacks names the fields that the cloud's list does not include: fields of the spec, and FieldMark if the marks are
	// unknown. They may be set all the same; Observe reads them.
	Lacks []string
}

// Listed is the entry of one object in a list. It agrees with what Observe would return for the object at the same
// time, without a spec and without an operation.
//
// It does not replace an Observation. The object was not compared with a spec, so it may differ from what is declared.
// Even if State is Ready, an operation may be in progress, or a value may wait to be applied. Observe an object before
// you change it.
type Listed struct {
	// Name is the name in the cloud, as in a Request.
	Name  string
	State State
	// ID is the cloud's immutable id of the object; empty if the cloud has none.
	ID string
	// Mark is the ownership mark of the object. It is the zero Mark if the object has none, and nil if the cloud's list
	// does not include it.
	Mark *Mark
	// Location is where the object is, in lower case and as a spec would name it. It is never empty.
	Location string
	// Available, Stopped, Protected, Problem and Work are as in an Observation.
	Available, Stopped, Protected bool
	Problem                       string
	Work                          Work
	// Mirror is the object's state as JSON of the kind's parameters, without the fields in Page.Lacks.
	Mirror json.RawMessage `json:",omitempty"`
}

// NoList returns the error of List for a kind whose Capabilities lack it. An empty page must not be returned instead:
// it would say that the account has no such object.
func NoList(cloud, kind string) error {
	return &Error{Code: Invalid, Message: fmt.Sprintf("%s can't list objects of kind %q", cloud, kind)}
}
