package command

import (
	"io"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"tracecheck/trace"
	"tracecheck/validators"
)

// newLogger writes to stderr what is no result: warnings, and under --verbose
// what is done. Lines have no time: what they tell of has its own.
func newLogger(w io.Writer, verbose bool) *zap.Logger {
	level := zapcore.WarnLevel
	if verbose {
		level = zapcore.DebugLevel
	}
	encoder := zapcore.NewConsoleEncoder(zapcore.EncoderConfig{
		LevelKey: "level", MessageKey: "message", EncodeLevel: zapcore.LowercaseLevelEncoder,
	})
	return zap.New(zapcore.NewCore(encoder, zapcore.AddSync(w), level))
}

// newMonitorLogger writes to stderr what a monitor does. Lines have a time: it
// runs for long, and what it does is not what happened to those it watches.
func newMonitorLogger(w io.Writer, verbose bool, format string) *zap.Logger {
	level := zapcore.InfoLevel
	if verbose {
		level = zapcore.DebugLevel
	}
	config := zapcore.EncoderConfig{
		TimeKey: "time", LevelKey: "level", MessageKey: "message",
		EncodeTime: zapcore.RFC3339NanoTimeEncoder, EncodeLevel: zapcore.LowercaseLevelEncoder, EncodeDuration: zapcore.StringDurationEncoder,
	}
	encoder := zapcore.NewConsoleEncoder(config)
	if format == logJSON {
		encoder = zapcore.NewJSONEncoder(config)
	}
	core := zapcore.NewCore(encoder, zapcore.AddSync(w), level)
	if verbose {
		return zap.New(core)
	}
	return zap.New(zapcore.NewSamplerWithOptions(core, time.Second, mostSame, 1000))
}

// mostSame is how often a second the same is said; from there on one time in a
// thousand.
const mostSame = 20

// logStep logs each judged step with the actions that explain it.
func logStep(log *zap.Logger) func(*trace.Step, string, []string, []validators.Finding) {
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
