package node

import (
	"fmt"
	"io"
	"net"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// Serve passes on what is sent to a Service to a Pod that is ready, until the test ends.
func (n *Node) Serve(t testing.TB, s *corev1.Service) {
	t.Helper()
	for _, port := range s.Spec.Ports {
		listener, err := net.Listen("tcp", net.JoinHostPort(s.Spec.ClusterIP, fmt.Sprint(port.Port)))
		if err != nil {
			t.Fatalf("stand in for Service %s: %v", s.Name, err)
		}
		t.Cleanup(func() { _ = listener.Close() })
		go func() {
			for {
				from, err := listener.Accept()
				if err != nil {
					return
				}
				go n.pass(from, s, port)
			}
		}()
	}
}

// pass connects one caller of a Service.
func (n *Node) pass(from net.Conn, s *corev1.Service, port corev1.ServicePort) {
	defer func() { _ = from.Close() }()
	selector := labels.SelectorFromSet(s.Spec.Selector)
	for _, p := range n.Pods() {
		if p.Namespace != s.Namespace || !selector.Matches(labels.Set(p.Labels)) || !p.Ready() {
			continue
		}
		to, err := net.Dial("tcp", net.JoinHostPort(p.Address, p.Port(port.TargetPort)))
		if err != nil {
			continue
		}
		defer func() { _ = to.Close() }()
		done := make(chan struct{}, 2)
		join := func(a, b net.Conn) {
			_, _ = io.Copy(a, b)
			done <- struct{}{}
		}
		go join(to, from)
		go join(from, to)
		<-done
		return
	}
}
