// Package alerts holds the alerts, the dashboard and the page of metrics to what the real manager shows. For each alert it
// produces the cause, on a real API server and the local cloud, scrapes what the manager shows then, and has promtool play that
// to the rules: the alert fires, and did not before. promtool also runs the unit tests in rules_test.yaml and days_test.yaml.
//
// A scrape is a moment, and an alert is about a while. What was played is: gauges stay as they were scraped, and what was
// counted between two scrapes is counted again in every minute that follows, or in every hour where a cause says so.
package alerts
