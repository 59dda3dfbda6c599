package controllers

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/resource/preview"
)

// A previewer reports in advance what is done about an object. preview.Preview is one.
type previewer interface {
	Edit(ctx context.Context, old, object v1alpha1.ResourceObject) (preview.Report, error)
	Creation(context.Context, v1alpha1.ResourceObject) (preview.Report, error)
	Deletion(context.Context, v1alpha1.ResourceObject) (preview.Report, error)
	DeletionEdit(ctx context.Context, old, object v1alpha1.ResourceObject) (preview.Report, error)
}

// A safePreview is the preview of one kind for requests that go on whatever becomes of it.
type safePreview struct {
	previewer
	kind string
	log  logr.Logger
}

// edit says what an edit would change in the cloud.
func (p safePreview) edit(ctx context.Context, old, object v1alpha1.ResourceObject) []string {
	return p.lines(ctx, foreseen{"edit", "see status.pendingChanges after it", previewFor}, object, func(ctx context.Context) (preview.Report, error) {
		return p.Edit(ctx, old, object)
	})
}

// creation returns what a creation is warned of.
func (p safePreview) creation(ctx context.Context, object v1alpha1.ResourceObject) []string {
	return p.lines(ctx, foreseen{"creation", "see status.conditions after it", previewFor}, object, func(ctx context.Context) (preview.Report, error) {
		return p.Creation(ctx, object)
	})
}

// deletion says what a deletion does.
func (p safePreview) deletion(ctx context.Context, old v1alpha1.ResourceObject) []string {
	of := foreseen{"deletion", "check spec.deletionPolicy and status.effective before it", previewDeletionFor}
	return p.lines(ctx, of, old, func(ctx context.Context) (preview.Report, error) { return p.Deletion(ctx, old) })
}

// deletionEdit says what an edit changes in a deletion that was requested before.
func (p safePreview) deletionEdit(ctx context.Context, old, object v1alpha1.ResourceObject) []string {
	of := foreseen{"edit", "check spec.deletionPolicy and status.effective before it", previewDeletionFor}
	return p.lines(ctx, of, object, func(ctx context.Context) (preview.Report, error) { return p.DeletionEdit(ctx, old, object) })
}

// How long a preview may take. That is less than the whole validation may, so that the other warnings are shown even if a preview hangs.
const (
	previewFor         = time.Second
	previewDeletionFor = 400 * time.Millisecond
)

// foreseen is a request that is previewed.
type foreseen struct {
	// what it is, and instead of a preview that fails: what its user can do.
	what, instead string
	// within is how long the preview may take.
	within time.Duration
}

// lines returns the warnings of a preview. A preview that fails, panics or hangs keeps nobody from the request, and no other warning
// from being shown: the log has the error, and one warning says what to do instead.
func (p safePreview) lines(ctx context.Context, of foreseen, object client.Object, ask func(context.Context) (preview.Report, error)) []string {
	ctx, cancel := context.WithTimeout(ctx, of.within)
	defer cancel()
	report, err := awaited(ctx, ask)
	if err == nil {
		return report.Lines()
	}
	why := "because of an internal error"
	if errors.Is(err, context.DeadlineExceeded) {
		why = "because that took too long"
	}
	p.log.Error(err, "a preview failed; the request goes on", "preview", of.what, "kind", p.kind, "namespace", object.GetNamespace(), "name", object.GetName())
	return []string{fmt.Sprintf("Mooring could not say in advance what this %s does, %s; %s", of.what, why, of.instead)}
}

// awaited returns what a driver is asked, such as a preview. It waits no longer than ctx allows, and makes an error of a panic.
func awaited[T any](ctx context.Context, ask func(context.Context) (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	answered := make(chan answer, 1) // nobody may be waiting any more
	go func() {
		defer func() {
			if p := recover(); p != nil {
				answered <- answer{err: fmt.Errorf("panic: %v\n%s", p, debug.Stack())}
			}
		}()
		value, err := ask(ctx)
		answered <- answer{value, err}
	}()
	select {
	case a := <-answered:
		return a.value, a.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}
