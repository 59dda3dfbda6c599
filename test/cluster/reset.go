package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
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

// reset makes etcd hold again what is in the snapshot, and returns when it does and the API server serves the resources of the snapshot. To
// it, and to whoever still watches, objects are deleted and created as ever, but no finalizer and no admission holds any of them.
func (c *Cluster) reset(ctx context.Context, to snapshot) error {
	policies := false
	err := await(ctx, func() (bool, error) {
		changes, err := c.changesTo(ctx, to)
		if err != nil {
			return false, err
		}
		for some := range slices.Chunk(changes, 1000) { // of which etcd takes some 15,000 at a time
			if err := c.ask(ctx, "txn", transaction{Success: some}, &struct{}{}); err != nil {
				return false, err
			}
		}
		policies = policies || slices.ContainsFunc(changes, operation.isOfAdmission)
		served, err := c.served()
		// A request of a manager that was killed may be carried out meanwhile, so it is looked at again.
		return len(changes) == 0 && slices.Equal(served, to.served), err
	})
	if err == nil && policies {
		err = c.awaitAdmission(ctx)
	}
	if err == nil && c.audit != nil {
		c.audit.begin, err = c.audit.Mark()
	}
	return err
}

func (c *Cluster) changesTo(ctx context.Context, to snapshot) ([]operation, error) {
	now, err := c.stored(ctx)
	return changesBetween(now, to.objects), err
}

// isOfAdmission reports whether an operation changes a policy or a webhook.
func (o operation) isOfAdmission() bool {
	key := ""
	if o.Put != nil {
		key = string(o.Put.Key)
	} else if o.Delete != nil {
		key = string(o.Delete.Key)
	}
	return strings.HasPrefix(key, registry+"validating") || strings.HasPrefix(key, registry+"mutating")
}

// awaitAdmission gives the API server the time to forget policies, which it compiles anew once a second. Nothing can be asked that shows that
// it did.
func (c *Cluster) awaitAdmission(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(3 * time.Second):
		return nil
	}
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
		said, _ := io.ReadAll(io.LimitReader(response.Body, 1000))
		return fmt.Errorf("ask etcd for %s: %s: %s", method, response.Status, said)
	}
	if err := json.NewDecoder(response.Body).Decode(answer); err != nil {
		return fmt.Errorf("ask etcd for %s: %w", method, err)
	}
	return nil
}
