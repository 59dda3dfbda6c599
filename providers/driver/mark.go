package driver

import "maps"

// A Mark is what an object in the cloud bears to say whose it is: tags (AWS) or labels (Google Cloud). An Ownership says of each kind where
// the mark is.
type Mark struct {
	Cluster   string // the cluster id
	Namespace string
	Name      string
	UID       string // of the Kubernetes object
	// Released: the Kubernetes object was deleted and this was left behind on purpose.
	Released bool
}

// Keys of the labels that make up a mark.
const (
	LabelCluster   = "mooring-cluster"
	LabelNamespace = "mooring-namespace"
	LabelName      = "mooring-name"
	LabelUID       = "mooring-uid"
	LabelReleased  = "mooring-released"
)

// MarkKeys lists the keys of all labels that make up a mark.
func MarkKeys() []string {
	return []string{LabelCluster, LabelNamespace, LabelName, LabelUID, LabelReleased}
}

// Labels returns the mark as labels. LabelReleased is there only if it was released; writing a mark that is
// not released must remove that label.
func (m Mark) Labels() map[string]string {
	labels := map[string]string{
		LabelCluster: m.Cluster, LabelNamespace: m.Namespace, LabelName: m.Name, LabelUID: m.UID,
	}
	if m.Released {
		labels[LabelReleased] = "true"
	}
	return labels
}

// MarkFrom reads a mark from labels. Without LabelCluster and LabelUID there is none; else what was removed of it is empty.
func MarkFrom(labels map[string]string) Mark {
	if labels[LabelCluster] == "" && labels[LabelUID] == "" {
		return Mark{}
	}
	return Mark{
		Cluster:   labels[LabelCluster],
		Namespace: labels[LabelNamespace],
		Name:      labels[LabelName],
		UID:       labels[LabelUID],
		Released:  labels[LabelReleased] != "",
	}
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

// PartOf reports whether a mark is what remains of another one after some of its labels were removed, but not its uid.
func (m Mark) PartOf(whole Mark) bool {
	rest := func(part, of string) bool { return part == "" || part == of }
	return m != whole && !m.Released && m.UID == whole.UID && m.UID != "" &&
		rest(m.Cluster, whole.Cluster) && rest(m.Namespace, whole.Namespace) && rest(m.Name, whole.Name)
}

// SameOwner reports whether two marks name the same object, under whatever uid.
func (m Mark) SameOwner(other Mark) bool {
	return m.Cluster == other.Cluster && m.Namespace == other.Namespace && m.Name == other.Name
}
