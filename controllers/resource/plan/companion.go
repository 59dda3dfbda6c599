package plan

// A Companion is something else in the cloud that goes with the cloud object, or stays with it. It is zero if there is none.
type Companion struct {
	// Delete is what a deletion does about it once the cloud object is gone, and Release what is done before the cloud object is marked as released; nil if nothing is to be done.
	Delete, Release *Action
	// Stays says that it stays although the cloud object is gone, and StaysToo that it stays with the cloud object.
	Stays, StaysToo string
}

// A Halt is why some fields are not changed before a person acts, whatever becomes of the others. It is nothing if Why is empty.
type Halt struct {
	Fields []string
	Why    string
}
