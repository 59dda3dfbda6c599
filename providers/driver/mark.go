package driver

import (
	"cmp"
	"maps"
)

// A Mark is what an object in the cloud bears to say whose it is: tags (AWS) or labels (Google Cloud). An Ownership says of each kind where
// the mark is.
type Mark struct {
	Cluster   string // the cluster id
	Namespace string
	Name      string
	UID       string // of the Kubernetes object
	// NamespaceUID is the uid of Namespace, which tells a namespace from an earlier one of its name. Marks that Mooring wrote before contract 25 have none.
	NamespaceUID string
	// Released: the Kubernetes object was deleted and this was left behind on purpose.
	Released bool
}

// Keys of the labels that make up a mark.
const (
	LabelCluster   = "mooring-cluster"
	LabelNamespace = "mooring-namespace"
	LabelName      = "mooring-name"
	LabelUID       = "mooring-uid"

	// A mark has one of these two: that of what was left behind says so in place of the other, with the same value. So there is room for either where
	// Mooring 0.1.0 had left room for the second alone, and it knows what was left behind by the key.
	LabelNamespaceUID = "mooring-namespace-uid"
	LabelReleased     = "mooring-released"
)

// MarkLabels is how many labels a mark has at most.
const MarkLabels = 5

// releasedBefore is the value of LabelReleased in marks without the uid of the namespace.
const releasedBefore = "true"

// MarkKeys lists the keys of all labels that make up a mark.
func MarkKeys() []string {
	return []string{LabelCluster, LabelNamespace, LabelName, LabelUID, LabelNamespaceUID, LabelReleased}
}

// Labels returns the mark as labels. Who writes them must remove those of Obsolete, and do so first where there may be no room for one more.
func (m Mark) Labels() map[string]string {
	labels := map[string]string{
		LabelCluster: m.Cluster, LabelNamespace: m.Namespace, LabelName: m.Name, LabelUID: m.UID,
	}
	switch {
	case m.Released:
		labels[LabelReleased] = cmp.Or(m.NamespaceUID, releasedBefore)
	case m.NamespaceUID != "":
		labels[LabelNamespaceUID] = m.NamespaceUID
	}
	return labels
}

// Obsolete returns the key of the label that another mark may have had, and this one must not have.
func (m Mark) Obsolete() string {
	if m.Released {
		return LabelNamespaceUID
	}
	return LabelReleased
}

// MarkFrom reads a mark from labels. Without LabelCluster and LabelUID there is none; else what was removed of it is empty.
func MarkFrom(labels map[string]string) Mark {
	if labels[LabelCluster] == "" && labels[LabelUID] == "" {
		return Mark{}
	}
	m := Mark{
		Cluster:   labels[LabelCluster],
		Namespace: labels[LabelNamespace],
		Name:      labels[LabelName],
		UID:       labels[LabelUID],

		NamespaceUID: labels[LabelNamespaceUID],
		Released:     labels[LabelReleased] != "",
	}
	if released := labels[LabelReleased]; m.NamespaceUID == "" && released != releasedBefore {
		m.NamespaceUID = released
	}
	return m
}

// WithoutMark returns labels without those of a mark: what the spec's tags are compared with.
func WithoutMark(labels map[string]string) map[string]string {
	out := make(map[string]string, len(labels))
	maps.Copy(out, labels)
	for _, k := range MarkKeys() {
		delete(out, k)
	}
	return out
}

// Zero reports whether there is no mark.
func (m Mark) Zero() bool { return m == Mark{} }

// PartOf reports whether a mark is what remains of another one after some of its labels were removed, but not its uid, or after the uid of its namespace was changed.
func (m Mark) PartOf(whole Mark) bool {
	rest := func(part, of string) bool { return part == "" || part == of }
	return !m.Is(whole) && !m.Released && m.UID == whole.UID && m.UID != "" &&
		rest(m.Cluster, whole.Cluster) && rest(m.Namespace, whole.Namespace) && rest(m.Name, whole.Name)
}

// Is reports whether two marks are the same. The uid of the namespace may be missing in one of them.
func (m Mark) Is(other Mark) bool {
	if m.NamespaceUID == "" || other.NamespaceUID == "" {
		m.NamespaceUID, other.NamespaceUID = "", ""
	}
	return m == other
}

// SameOwner reports whether two marks name the same object, under whatever uid, and in whatever namespace of that name.
func (m Mark) SameOwner(other Mark) bool {
	return m.Cluster == other.Cluster && m.Namespace == other.Namespace && m.Name == other.Name
}
