package storage

import (
	"net/http"
	"slices"
	"strings"

	"google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/test/localcloud/google"
)

// insertFolder makes a managed folder: rules of access for the objects below its name. It is no object and no list of objects shows
// it, and yet a bucket that has one is not empty.
func (s *Service) insertFolder(r *google.Request) (any, error) {
	b, state, err := s.find(r, "storage.managedFolders.create")
	if err != nil {
		return nil, err
	}
	_, want, err := google.ParseResource[storage.ManagedFolder](r.Body)
	if err != nil {
		return nil, err
	}
	switch {
	case !google.Typed[storage.Bucket](state.resource).IamConfiguration.UniformBucketLevelAccess.Enabled:
		return nil, errNoFolders
	case want.Name == "" || strings.HasPrefix(want.Name, "/"):
		return nil, google.Invalid("Invalid managed folder name: " + want.Name)
	}
	name := strings.TrimSuffix(want.Name, "/") + "/"
	if b.folderIndex(name) >= 0 {
		return nil, google.Err(http.StatusConflict, "conflict", "The managed folder you tried to create already exists.")
	}
	bucket := r.PathValue("bucket")
	f := &storage.ManagedFolder{
		Kind: "storage#managedFolder", Id: bucket + "/" + name, Bucket: bucket, Name: name, Metageneration: 1,
		SelfLink:   s.cloud.GCPEndpoint() + "/storage/v1/b/" + bucket + "/managedFolders/" + strings.ReplaceAll(name, "/", "%2F"),
		CreateTime: gcsTime(r.Now), UpdateTime: gcsTime(r.Now),
	}
	b.folders = append(b.folders, f)
	slices.SortFunc(b.folders, func(x, y *storage.ManagedFolder) int { return strings.Compare(x.Name, y.Name) })
	return f, nil
}

var errNoFolders = google.Err(http.StatusBadRequest, "invalid", "Managed folders are available only in buckets with uniform bucket-level access enabled.")

func (b *gcsBucket) folderIndex(name string) int {
	return slices.IndexFunc(b.folders, func(f *storage.ManagedFolder) bool { return f.Name == name })
}

func (s *Service) listFolders(r *google.Request) (any, error) {
	b, state, err := s.find(r, "storage.managedFolders.list")
	if err != nil {
		return nil, err
	}
	if !google.Typed[storage.Bucket](state.resource).IamConfiguration.UniformBucketLevelAccess.Enabled {
		return nil, errNoFolders
	}
	var found []*storage.ManagedFolder
	for _, f := range b.folders {
		if strings.HasPrefix(f.Name, r.URL.Query().Get("prefix")) {
			found = append(found, f)
		}
	}
	page, next, err := google.PageOf(r, found, "pageSize", 1000, 1000)
	if err != nil {
		return nil, err
	}
	return &storage.ManagedFolders{Kind: "storage#managedFolders", Items: page, NextPageToken: next}, nil
}

// deleteFolder deletes a managed folder, but none with something below it unless told so. Objects below it stay in any case.
func (s *Service) deleteFolder(r *google.Request) (any, error) {
	b, _, err := s.find(r, "storage.managedFolders.delete")
	if err != nil {
		return nil, err
	}
	name := r.PathValue("folder")
	i := b.folderIndex(name)
	if i < 0 {
		return nil, google.Err(http.StatusNotFound, "notFound", "The specified managed folder does not exist.")
	}
	below := func(other string) bool { return other != name && strings.HasPrefix(other, name) }
	if r.URL.Query().Get("allowNonEmpty") != "true" &&
		(slices.ContainsFunc(b.folders, func(f *storage.ManagedFolder) bool { return below(f.Name) }) ||
			slices.ContainsFunc(b.objects, func(o *gcsObject) bool { return below(o.Name) })) {
		return nil, google.Err(http.StatusConflict, "conflict", "The managed folder you tried to delete is not empty.")
	}
	b.folders = slices.Delete(b.folders, i, i+1)
	return nil, nil
}
