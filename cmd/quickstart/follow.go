package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/test/system"
)

// How often the objects are looked at, and how long they may take to become Ready: they take about 10 seconds
// on 2 cores.
const (
	look            = 100 * time.Millisecond
	samplesPatience = 2 * time.Minute
)

// An object is an object of any kind as the demonstration sees it.
type object struct {
	client.Object
	kind   string
	status *v1alpha1.ResourceStatus
}

func (o object) String() string { return fmt.Sprintf("%-8s  %-8s", o.kind, o.GetName()) }

// condition returns the state of a condition; the zero value if it was never set.
func (o object) condition(kind string) metav1.Condition {
	if c := meta.FindStatusCondition(o.status.Conditions, kind); c != nil {
		return *c
	}
	return metav1.Condition{}
}

func (o object) ready() bool {
	return o.condition(v1alpha1.ConditionReady).Status == metav1.ConditionTrue && o.status.ObservedGeneration == o.GetGeneration()
}

// state is what the log shows: one word, and what else there is to know.
func (o object) state() (reason, detail string) {
	c := o.condition(v1alpha1.ConditionReady)
	switch {
	case c.Type == "":
		return "", ""
	case o.ready():
		return c.Reason, fmt.Sprintf("%s %s: %s", o.status.Provider, o.status.Location, o.status.ExternalName)
	}
	return c.Reason, system.Told(o.status.Conditions)
}

// A follower says what becomes of the objects.
type follower struct {
	*transcript
	client client.Client
	log    string // the controller's
	// said is the state of each object that was said last.
	said map[string]string
}

// objects returns all objects that stand for something in a cloud.
func (f *follower) objects(ctx context.Context) ([]object, error) {
	var all []object
	for _, k := range kind.All() {
		list := k.NewList()
		if err := f.client.List(ctx, list); err != nil {
			return nil, fmt.Errorf("list %s: %w", k.Plural, err)
		}
		_ = meta.EachListItem(list, func(item runtime.Object) error {
			o := item.(v1alpha1.ResourceObject)
			all = append(all, object{o, k.Name, o.GetResourceStatus()})
			return nil
		})
	}
	return all, nil
}

// follow says what becomes of every object, a line for each change of state that was not said before, until all are Ready.
func (f *follower) follow(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, samplesPatience)
	defer cancel()
	for {
		all, err := f.objects(ctx)
		if err != nil {
			return err
		}
		ready := 0
		for _, o := range all {
			reason, detail := o.state()
			if reason != "" && f.said[o.String()] != reason {
				f.said[o.String()] = reason
				f.step("%s  %-9s  %s", o, reason, detail)
			}
			if o.ready() {
				ready++
			}
		}
		if ready == len(all) && ready > 0 {
			f.step("all %d are Ready", ready)
			return nil
		}
		if !pause(ctx, look) {
			return f.unready(all)
		}
	}
}

// forget has what is said of an object be said again, because another one takes its place.
func (f *follower) forget(kind, name string) { delete(f.said, fmt.Sprintf("%-8s  %-8s", kind, name)) }

// unready says what is not Ready and how to find out why.
func (f *follower) unready(all []object) error {
	errs := []error{fmt.Errorf("not everything became Ready within %v; the controller's log is %s", samplesPatience, f.log)}
	for _, o := range all {
		if !o.ready() {
			reason, message := o.state()
			errs = append(errs, fmt.Errorf("  %s %s/%s: %s: %s", o.kind, o.GetNamespace(), o.GetName(), reason, message))
		}
	}
	return errors.Join(errs...)
}

// pause waits, and returns false if ctx ended before.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
