package console

import (
	"io"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// The formats of a service's log.
const (
	LogText = "text"
	LogJSON = "json"
)

// NewLogger writes to stderr what is not a result: warnings, and under --verbose
// what is done. Lines have no time: what they tell of has its own.
func NewLogger(w io.Writer, verbose bool) *zap.Logger {
	level := zapcore.WarnLevel
	if verbose {
		level = zapcore.DebugLevel
	}
	encoder := zapcore.NewConsoleEncoder(zapcore.EncoderConfig{
		LevelKey: "level", MessageKey: "message", EncodeLevel: zapcore.LowercaseLevelEncoder,
	})
	return zap.New(zapcore.NewCore(encoder, zapcore.AddSync(w), level))
}

// NewServiceLogger writes to stderr what a monitor does. Lines have a time: it
// runs for long, and what it does is not what happened to those it watches.
func NewServiceLogger(w io.Writer, verbose bool, format string) *zap.Logger {
	level := zapcore.InfoLevel
	if verbose {
		level = zapcore.DebugLevel
	}
	config := zapcore.EncoderConfig{
		TimeKey: "time", LevelKey: "level", MessageKey: "message",
		EncodeTime: zapcore.RFC3339NanoTimeEncoder, EncodeLevel: zapcore.LowercaseLevelEncoder, EncodeDuration: zapcore.StringDurationEncoder,
	}
	encoder := zapcore.NewConsoleEncoder(config)
	if format == LogJSON {
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
