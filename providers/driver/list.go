package driver

import (
	"encoding/json"
	"fmt"
)

// A ListRequest asks for one page of the objects of a kind. It is data.
type ListRequest struct {
	// Page is the token of the page to return: what the page before has in Next. It is empty for the first page. A token belongs to the
	// request that it came from: with another kind, another Cluster or another session it may be refused. A token that is refused is an
	// error with the code PageExpired: begin anew, without a token.
	Page string
	// Parent asks for the objects within one parent, for a kind that has a parent. It is zero for other kinds.
	Parent ParentRef
	// Cluster asks for the objects that have a mark of this cluster id; empty for all objects. It saves calls where the cloud can find
	// objects by their marks, and changes nothing where it can't. So a page may hold other objects too: look at the marks.
	Cluster string
}

// A Page is a part of what a cloud lists of one kind.
//
// That an object is missing from a list does not say that it does not exist. A list may be older than the last creation, an object
// may fall between two pages while others come and go, a list has one region or one account only, a cloud may leave out what the
// credentials may not see, or a region that does not answer. Only Observe says that an object is Absent. What a list does show was
// there when the cloud made the list.
type Page struct {
	// Location is the one location whose objects the list has, in the words of the spec. It is empty for a list that has the objects
	// of all locations of the account.
	Location string
	// Objects are in no particular order. A page may have none, and yet not be the last one.
	Objects []Listed
	// Next is the token of the next page; empty if this is the last one.
	Next string
	// Lacks names what the cloud's list does not say of any object: fields of the spec, which no Mirror of the page has, and FieldMark,
	// if the marks are unknown. What is lacking says nothing about the objects: Observe each of them to know.
	Lacks []string
}

// Listed is what a list says of one object. It agrees with what Observe says of the same object at the same time without a spec and without
// an operation. It is no Observation: nobody compared the object with a spec, so nothing here says that it is as declared, and a State of
// Ready does not say that no operation runs and no value waits to be applied. Observe an object before you change it.
type Listed struct {
	// Name is the name in the cloud: that of a Request.
	Name  string
	State State
	// ID is the cloud's own immutable identity, where it has one.
	ID string
	// Mark is the mark that was found on the object: the zero Mark if it has none, and nil if the list does not say.
	Mark *Mark
	// Location is where the object is, in lower case and in the words of the spec; never empty.
	Location string
	// Available, Stopped, Protected, Problem and Work are those of an Observation.
	Available, Stopped, Protected bool
	Problem                       string
	Work                          Work
	// Mirror is the object in the words of the spec, without the fields that the page lacks: JSON of the kind's parameters.
	Mirror json.RawMessage `json:",omitempty"`
}

// NoList is the error of a call of List for a kind whose Capabilities do not have it. It is never an empty page, which would say
// that the account has no such object.
func NoList(cloud, kind string) error {
	return &Error{Code: Invalid, Message: fmt.Sprintf("%s can't list objects of kind %q", cloud, kind)}
}
