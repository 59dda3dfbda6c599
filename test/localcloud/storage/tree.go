package storage

import (
	"net/http"
	"slices"
	"strings"

	"google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/test/localcloud/google"
)

// errNoTree is for buckets without a hierarchical namespace. No recording shows it, nor any call about folders.
// https://cloud.google.com/storage/docs/json_api/v1/folders
var errNoTree = google.Err(http.StatusConflict, "conflict", "The bucket does not support hierarchical namespace.")

func (st *gcsState) hierarchical() bool {
	h := google.Typed[storage.Bucket](st.resource).HierarchicalNamespace
	return h != nil && h.Enabled
}

// plant makes the folders that a name is in, as an upload does. https://cloud.google.com/storage/docs/hns-overview
func (b *gcsBucket) plant(r *google.Request, name string) {
	for i, c := range name {
		if c != '/' || b.treeIndex(name[:i+1]) >= 0 {
			continue
		}
		bucket, folder := r.PathValue("bucket"), name[:i+1]
		b.tree = append(b.tree, &storage.Folder{
			Kind: "storage#folder", Id: bucket + "/" + folder, Bucket: bucket, Name: folder, Metageneration: 1, CreateTime: gcsTime(r.Now), UpdateTime: gcsTime(r.Now),
		})
	}
	slices.SortFunc(b.tree, func(x, y *storage.Folder) int { return strings.Compare(x.Name, y.Name) })
}

func (b *gcsBucket) treeIndex(name string) int {
	return slices.IndexFunc(b.tree, func(f *storage.Folder) bool { return f.Name == name })
}

// findTree returns a bucket with a hierarchical namespace.
func (s *Service) findTree(r *google.Request, permission string) (*gcsBucket, error) {
	b, state, err := s.find(r, permission)
	if err == nil && !state.hierarchical() {
		err = errNoTree
	}
	return b, err
}

// insertTreeFolder makes a folder, and those that it is in.
func (s *Service) insertTreeFolder(r *google.Request) (any, error) {
	b, err := s.findTree(r, "storage.folders.create")
	if err != nil {
		return nil, err
	}
	_, want, err := google.ParseResource[storage.Folder](r.Body)
	if err != nil {
		return nil, err
	}
	name := strings.TrimSuffix(want.Name, "/") + "/"
	if b.treeIndex(name) >= 0 {
		return nil, google.Err(http.StatusConflict, "conflict", "The folder you tried to create already exists.")
	}
	b.plant(r, name)
	return b.tree[b.treeIndex(name)], nil
}

func (s *Service) listTreeFolders(r *google.Request) (any, error) {
	b, err := s.findTree(r, "storage.folders.list")
	if err != nil {
		return nil, err
	}
	page, next, err := google.PageOf(r, b.tree, "pageSize", 1000, 1000)
	if err != nil {
		return nil, err
	}
	return &storage.Folders{Kind: "storage#folders", Items: page, NextPageToken: next}, nil
}

// deleteTreeFolder deletes an empty folder.
func (s *Service) deleteTreeFolder(r *google.Request) (any, error) {
	b, err := s.findTree(r, "storage.folders.delete")
	if err != nil {
		return nil, err
	}
	name := r.PathValue("folder")
	below := func(other string) bool { return other != name && strings.HasPrefix(other, name) }
	i := b.treeIndex(name)
	switch {
	case i < 0:
		return nil, google.Err(http.StatusNotFound, "notFound", "The specified folder does not exist.")
	case slices.ContainsFunc(b.tree, func(f *storage.Folder) bool { return below(f.Name) }),
		slices.ContainsFunc(b.objects, func(o *gcsObject) bool { return below(o.Name) }):
		return nil, google.Err(http.StatusConflict, "conflict", "The folder you tried to delete is not empty.")
	}
	b.tree = slices.Delete(b.tree, i, i+1)
	return nil, nil
}
