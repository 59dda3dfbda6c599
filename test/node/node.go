package node

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/test/cluster"
)

// A Node runs Pods. All of them end with the test.
type Node struct {
	cluster *cluster.Cluster
	client  client.Client
	dir     string

	mu   sync.Mutex
	pods []*Pod
	// programs are what images hold, by the image's reference.
	programs map[string]string
}

// addresses counts those that were given to Pods, of all nodes.
var addresses atomic.Int64

// nextAddress returns one that no other Pod has, be it of another program that runs at the same time.
func nextAddress() string {
	pid := os.Getpid()
	return fmt.Sprintf("127.%d.%d.%d", 64+pid/256%128, pid%256, addresses.Add(1)%254+1)
}

// entrypoint is where an image has its program, which is all it has.
const entrypoint = "/ko-app/mooring"

// New returns a node of a cluster. c is an administrator's client.
func New(t testing.TB, cl *cluster.Cluster, c client.Client) *Node {
	t.Helper()
	dir, err := os.MkdirTemp("", "mooring-node-") // a test's own folder may be closed to other users
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	n := &Node{cluster: cl, client: c, dir: dir, programs: map[string]string{}}
	t.Cleanup(func() {
		for _, p := range n.Pods() {
			p.Kill()
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return n
}

// Pull says what an image holds: one static program.
func (n *Node) Pull(image, program string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.programs[image] = program
}

// Run stores a Pod and starts its container. A Pod that admission refuses, or that asks for what this node does not have,
// fails the test.
func (n *Node) Run(t testing.TB, namespace, name string, template corev1.PodTemplateSpec) *Pod {
	t.Helper()
	stored := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, GenerateName: name + "-", Labels: template.Labels, Annotations: template.Annotations},
		Spec:       template.Spec,
	}
	if err := n.client.Create(t.Context(), stored); err != nil {
		t.Fatalf("store a Pod of %s: %v", name, err)
	}
	return n.RunStored(t, stored)
}

// RunStored starts the container of a Pod that somebody else has stored.
func (n *Node) RunStored(t testing.TB, stored *corev1.Pod) *Pod {
	t.Helper()
	p, err := n.start(t, stored)
	if err != nil {
		t.Fatalf("run Pod %s: %v", stored.Name, err)
	}
	return p
}

func (n *Node) start(t testing.TB, stored *corev1.Pod) (*Pod, error) {
	if len(stored.Spec.Containers) != 1 || len(stored.Spec.InitContainers) > 0 {
		return nil, fmt.Errorf("it has %d containers, and this node runs one", len(stored.Spec.Containers)+len(stored.Spec.InitContainers))
	}
	address := nextAddress()
	n.mu.Lock()
	p := &Pod{Pod: stored, node: n, Address: address, root: filepath.Join(n.dir, stored.Name), ended: make(chan struct{})}
	n.pods = append(n.pods, p)
	program, pulled := n.programs[stored.Spec.Containers[0].Image]
	n.mu.Unlock()
	if !pulled {
		return nil, fmt.Errorf("image %q was not pulled", stored.Spec.Containers[0].Image)
	}
	if err := p.layOut(program); err != nil {
		return nil, err
	}
	if err := p.mount(t.Context()); err != nil {
		return nil, err
	}
	environment, err := p.environment(t.Context())
	if err != nil {
		return nil, err
	}
	return p, p.exec(environment)
}

// Pods returns the Pods that run.
func (n *Node) Pods() []*Pod {
	n.mu.Lock()
	defer n.mu.Unlock()
	var running []*Pod
	for _, p := range n.pods {
		if !p.Ended() {
			running = append(running, p)
		}
	}
	return running
}

// apiServer returns where Pods are told that the API server is.
func (n *Node) apiServer() (host, port string) {
	address := n.cluster.Config().Host
	if _, rest, ok := strings.Cut(address, "://"); ok {
		address = rest
	}
	host, port, _ = strings.Cut(strings.TrimSuffix(address, "/"), ":")
	return host, port
}
