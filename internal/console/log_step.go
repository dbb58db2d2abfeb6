package console

import (
	"go.uber.org/zap"

	"tracecheck/trace"
	"tracecheck/validators"
)

// LogStep logs each judged step with the actions that explain it.
func LogStep(log *zap.Logger) func(*trace.Step, string, []string, []validators.Finding) {
	return func(step *trace.Step, spec string, explanation []string, findings []validators.Finding) {
		fields := []zap.Field{zap.Stringer("at", step.First())}
		if n := len(step.Events); n > 1 {
			fields = append(fields, zap.Int("events", n))
		}
		if stream := step.Events[0].Stream; stream != "" {
			fields = append(fields, zap.String("stream", stream))
		}
		fields = append(fields, zap.String("spec", spec), zap.Strings("by", explanation))
		if len(findings) > 0 {
			broken := make([]string, len(findings))
			for i := range findings {
				broken[i] = string(findings[i].Kind) + " " + findings[i].Rule
			}
			fields = append(fields, zap.Strings("breaks", broken))
		}
		log.Debug("step", fields...)
	}
}

// LogViolation logs at once what was found in a live input: the report comes at its end.
func LogViolation(log *zap.Logger, v *validators.Violation) {
	fields := []zap.Field{zap.String("spec", v.Spec), zap.String("time", v.Time), zap.String("what", v.Message)}
	if v.Seq != nil {
		fields = append(fields, zap.Int64("seq", *v.Seq))
	}
	log.Warn(string(v.Kind)+" "+v.Rule, fields...)
}
