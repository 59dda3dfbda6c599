package resource

import "context"

// mayPublish refuses to go on if the connection Secret is somebody else's: a password that nobody could be told is not set.
func (r *Reconciler) mayPublish(ctx context.Context, t *turn) error {
	missing, err := r.secrets().MayPublish(ctx, t.obj, t.want, &t.conn.Cloud)
	if missing != "" {
		t.mem.publisher.Unwritten = missing
	}
	return err
}
