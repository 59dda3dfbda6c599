package rds

import (
	"context"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/portable"
	"github.com/mooring-dev/mooring/providers/table"
)

const (
	// supportLasts is how long what RDS said of an engine counts: a moved date shows a day later at most, and at once
	// where a person asks for an observation.
	supportLasts = 24 * time.Hour
	// supportPause is after how long RDS is asked again that did not answer, or refused, unless a person asks for an
	// observation: who asks may just have given the permission.
	supportPause = time.Hour
)

// A versionSupport is until when RDS supports a major version of an engine. Zero times are not known.
type versionSupport struct{ standard, extended time.Time }

// An engineSupport is what RDS said of the major versions of an engine, when it said that, and when it was last asked in vain.
type engineSupport struct {
	versions     map[string]versionSupport
	read, failed time.Time
}

// A supportCatalogue says until when RDS supports the versions of engines. It lasts as long as the session, whose databases share it. One call a day serves all
// versions of an engine.
type supportCatalogue struct {
	*session.Session
	rds *rds.Client

	// asking is held by whoever asks RDS: the others wait for the answer in place of asking, too.
	asking chan struct{}
	mu     sync.Mutex
	known  map[string]engineSupport
	denied time.Time // when RDS refused the call to this identity, which it does for all engines alike
}

func newSupportCatalogue(s *session.Session, client *rds.Client) *supportCatalogue {
	return &supportCatalogue{Session: s, rds: client, asking: make(chan struct{}, 1), known: map[string]engineSupport{}}
}

// support is what table.Adapter.Support asks for. The version is the one that runs.
func (c *supportCatalogue) support(ctx context.Context, have *instance) *driver.Support {
	s := &driver.Support{Version: portable.MajorVersion(have.engine(), aws.ToString(have.EngineVersion))}
	if shown := have.CertificateDetails; shown != nil && shown.ValidTill != nil {
		s.CertificateExpires = shown.ValidTill.UTC()
	}
	if have.Engine == nil || have.EngineVersion == nil {
		s.Version, s.Unread = "", true
		return s
	}
	of, fresh := c.of(ctx, *have.Engine)
	s.StandardUntil, s.ExtendedUntil, s.Unread = of[s.Version].standard, of[s.Version].extended, !fresh
	return s
}

// of returns what RDS said last of the versions of an engine, and whether that is not older than supportLasts. It asks RDS where it is. An error is not
// returned: it must not keep an instance from being observed, and who has no permission for the call misses the dates alone.
func (c *supportCatalogue) of(ctx context.Context, engine string) (versions map[string]versionSupport, fresh bool) {
	known, fresh, due := c.look(ctx, engine)
	if !due {
		return known.versions, fresh
	}
	select {
	case c.asking <- struct{}{}:
		defer func() { <-c.asking }()
	case <-ctx.Done():
		return known.versions, fresh
	}
	if known, fresh, due = c.look(ctx, engine); !due { // somebody else asked meanwhile
		return known.versions, fresh
	}
	read, err := c.list(ctx, engine)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		known.failed = c.Now()
		c.known[engine] = known
		if driver.CodeOf(err) == driver.Denied {
			c.denied = known.failed
		}
		return known.versions, fresh
	}
	c.known[engine], c.denied = engineSupport{versions: read, read: c.Now()}, time.Time{}
	for name, other := range c.known { // what was granted, or works again, does so for all engines
		other.failed = time.Time{}
		c.known[name] = other
	}
	return read, true
}

// look returns what is known of an engine, whether that is fresh, and whether RDS is to be asked.
func (c *supportCatalogue) look(ctx context.Context, engine string) (known engineSupport, fresh, due bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known, now := c.known[engine], c.Now()
	fresh = known.versions != nil && now.Sub(known.read) < supportLasts && !table.AskedSince(ctx, known.read)
	paused := func(since time.Time) bool {
		return !since.IsZero() && now.Sub(since) < supportPause && !table.AskedSince(ctx, since)
	}
	return known, fresh, !fresh && !paused(known.failed) && !paused(c.denied)
}

// list asks RDS for the versions of an engine. The permission is rds:DescribeDBMajorEngineVersions, which is not for single resources. No recording shows
// an answer.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_DescribeDBMajorEngineVersions.html
func (c *supportCatalogue) list(ctx context.Context, engine string) (map[string]versionSupport, error) {
	read, in := map[string]versionSupport{}, &rds.DescribeDBMajorEngineVersionsInput{Engine: &engine}
	for {
		out, err := session.Call(ctx, c.Session, "DescribeDBMajorEngineVersions", c.rds.DescribeDBMajorEngineVersions, in, onceRDS)
		if err != nil {
			return nil, err
		}
		for _, v := range out.DBMajorEngineVersions {
			if aws.ToString(v.Engine) == engine {
				read[aws.ToString(v.MajorEngineVersion)] = supportIn(v.SupportedEngineLifecycles)
			}
		}
		if in.Marker = out.Marker; aws.ToString(in.Marker) == "" {
			return read, nil
		}
	}
}

// supportIn sorts the kinds of support. RDS names those of the open-source engines, and one that it adds is not shown.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_SupportedEngineLifecycle.html
func supportIn(named []types.SupportedEngineLifecycle) (l versionSupport) {
	for _, one := range named {
		if one.LifecycleSupportEndDate == nil {
			continue
		}
		switch one.LifecycleSupportName {
		case types.LifecycleSupportNameOpenSourceRdsStandardSupport:
			l.standard = one.LifecycleSupportEndDate.UTC()
		case types.LifecycleSupportNameOpenSourceRdsExtendedSupport:
			l.extended = one.LifecycleSupportEndDate.UTC()
		}
	}
	return l
}
