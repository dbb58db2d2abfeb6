package command

import "tracecheck/internal/cmdline"

// flagGroups are the headings in the help of commands with many flags, in order. A flag is
// under the first heading that names it.
var flagGroups = []cmdline.FlagGroup{
	{Title: "What is judged", Names: "swarm follow map format max-line duration stream line around"},
	{Title: "How it is judged", Names: "spec steps profile constant attach keep-going deadline on-gap remember budget max-violations baseline write-baseline against min"},
	{Title: "What is shown", Names: "output compress after quiet verbose no-progress color log-format"},
	{Title: "Kafka", Needs: "kafka", Names: "kafka topic group from until-end kafka-tls kafka-ca kafka-cert kafka-key kafka-sasl kafka-user kafka-password-file kafka-timeout"},
	{Title: "The configuration", Needs: "dry-run", Names: "config dry-run"},
	{Title: "A TLA+ module", Needs: "module-path", Names: "bind module config module-path env any-path full max-states"},
	{Title: "Checkpoints", Needs: "checkpoint", Names: "checkpoint checkpoint-topic no-checkpoint checkpoint-every start-over"},
	{Title: "Alerts", Needs: "alerts", Names: "alerts webhook webhook-token-file webhook-ca webhook-resolve webhook-label alert-topic max-pending public-url"},
	{Title: "Malformed records", Needs: "dead-letters", Names: "dead-letters dead-letter-topic"},
	{Title: "The web page", Needs: "listen", Names: "listen listen-remote listen-host web-config"},
}
