package localcloud

// objectStore holds a bucket's objects, in all their versions, and its open multipart uploads.
type objectStore struct{}

func newObjectStore() *objectStore { return &objectStore{} }

func (s *objectStore) empty() bool { return true }
