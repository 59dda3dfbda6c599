package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"k8s.io/client-go/discovery"
)

// A snapshot is what a control plane holds that nobody has used yet.
type snapshot struct {
	// objects are what etcd holds, by its keys.
	objects objects
	// served are the resources that the API server serves, each with its group and version.
	served []string
}

type objects map[string][]byte

// registry is where the API server keeps its objects in etcd.
const registry = "/registry/"

// serversOwn are keys that the API server writes at its own pace, for as long as it runs.
var serversOwn = []string{registry + "leases/kube-system/", registry + "peerserverleases/"}

// lastOfStart is what the API server writes last of what it makes for itself, some time after it says that it is ready.
const lastOfStart = registry + "services/specs/default/kubernetes"

// snapshot waits until the API server has made what it makes for itself, and returns all there is.
func (c *Cluster) snapshot(ctx context.Context) (s snapshot, err error) {
	err = await(ctx, func() (bool, error) {
		s.objects, err = c.stored(ctx)
		return s.objects[lastOfStart] != nil, err
	})
	if err == nil {
		s.served, err = c.served()
	}
	return s, err
}

// reset makes etcd hold again what is in the snapshot, in one transaction, and returns when the API server serves that. To it, and to
// whoever still watches, objects are deleted and created as ever, but no finalizer and no admission holds any of them.
func (c *Cluster) reset(ctx context.Context, to snapshot) error {
	now, err := c.stored(ctx)
	if err != nil {
		return err
	}
	if changes := changesBetween(now, to.objects); len(changes) > 0 {
		if err := c.ask(ctx, "txn", transaction{Success: changes}, &struct{}{}); err != nil {
			return err
		}
	}
	err = await(ctx, func() (bool, error) {
		served, err := c.served()
		return slices.Equal(served, to.served), err
	})
	if err == nil && c.audit != nil {
		c.audit.begin, err = c.audit.Mark()
	}
	return err
}

// changesBetween returns what makes the one of the other, but for serversOwn.
func changesBetween(from, to objects) (changes []operation) {
	own := func(key string) bool {
		return slices.ContainsFunc(serversOwn, func(prefix string) bool { return strings.HasPrefix(key, prefix) })
	}
	for key := range from {
		if to[key] == nil && !own(key) {
			changes = append(changes, operation{Delete: &deletion{Key: []byte(key)}})
		}
	}
	for key, value := range to {
		if !bytes.Equal(from[key], value) && !own(key) {
			changes = append(changes, operation{Put: &put{Key: []byte(key), Value: value}})
		}
	}
	return changes
}

// served returns the resources that the API server serves.
func (c *Cluster) served() (names []string, err error) {
	kinds, err := discovery.NewDiscoveryClientForConfig(c.config)
	if err != nil {
		return nil, err
	}
	_, lists, err := kinds.ServerGroupsAndResources()
	for _, list := range lists {
		for _, r := range list.APIResources {
			names = append(names, list.GroupVersion+"/"+r.Name)
		}
	}
	slices.Sort(names)
	return names, err
}

// await polls, which ends with the context.
func await(ctx context.Context, done func() (bool, error)) error {
	for {
		if so, err := done(); so || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// stored returns all that etcd holds of the API server's.
func (c *Cluster) stored(ctx context.Context) (objects, error) {
	var all struct {
		KVs []put `json:"kvs"`
	}
	end := strings.TrimSuffix(registry, "/") + "0" // what follows "/"
	if err := c.ask(ctx, "range", map[string][]byte{"key": []byte(registry), "range_end": []byte(end)}, &all); err != nil {
		return nil, err
	}
	of := objects{}
	for _, kv := range all.KVs {
		of[string(kv.Key)] = kv.Value
	}
	return of, nil
}

// What etcd's gateway for JSON takes, in which keys and values are in base64.
type (
	put struct {
		Key   []byte `json:"key"`
		Value []byte `json:"value"`
	}
	deletion struct {
		Key []byte `json:"key"`
	}
	operation struct {
		Put    *put      `json:"request_put,omitempty"`
		Delete *deletion `json:"request_delete_range,omitempty"`
	}
	transaction struct {
		Success []operation `json:"success"`
	}
)

// ask sends a request to etcd, and decodes its answer.
func (c *Cluster) ask(ctx context.Context, method string, request, answer any) error {
	body, err := json.Marshal(request)
	if err != nil {
		return err
	}
	url := c.env.ControlPlane.Etcd.URL.JoinPath("v3", "kv", method).String()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return fmt.Errorf("ask etcd for %s: %w", method, err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("ask etcd for %s: %s", method, response.Status)
	}
	if err := json.NewDecoder(response.Body).Decode(answer); err != nil {
		return fmt.Errorf("ask etcd for %s: %w", method, err)
	}
	return nil
}
