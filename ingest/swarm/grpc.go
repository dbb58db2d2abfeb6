package swarm

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"tracecheck/ingest/swarm/wire"
)

// The codes of gRPC that have a meaning here.
const (
	codeUnknown          = 2
	codeDeadlineExceeded = 4
	codeUnimplemented    = 12
)

// statusError is an error that the manager has sent.
type statusError struct {
	code    int
	message string
}

func (e *statusError) Error() string { return fmt.Sprintf("%s (gRPC code %d)", e.message, e.code) }

// codeOf is the code of an error that the manager has sent; 0: it has sent none.
func codeOf(err error) int {
	if failed, ok := errors.AsType[*statusError](err); ok {
		return failed.code
	}
	return 0
}

// message is the text of an error, without the code and the URL of its call.
func message(err error) string {
	if failed, ok := errors.AsType[*url.Error](err); ok {
		return failed.Err.Error()
	}
	if failed, ok := errors.AsType[*statusError](err); ok {
		return failed.message
	}
	return err.Error()
}

// head is the bytes before each message: whether it is compressed, and its length.
const head = 5

// call is a call of gRPC over HTTP/2. Its replies are of type R.
type call[R any] struct {
	response *http.Response
	body     *bufio.Reader
}

// invoke calls the method. The call ends with ctx, or after its last reply. The
// manager is not sent ctx's deadline: the way in which it ends a late call has
// no certain meaning.
func invoke[R any](ctx context.Context, m *manager, method string, request wire.Request) (*call[R], error) {
	frame := binary.BigEndian.AppendUint32([]byte{0}, uint32(len(request)))
	post, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://localhost"+method, bytes.NewReader(append(frame, request...)))
	if err != nil {
		return nil, err
	}
	post.Header.Set("Content-Type", "application/grpc")
	post.Header.Set("Te", "trailers")
	response, err := m.http.Do(post)
	if err != nil {
		return nil, cmp.Or(context.Cause(ctx), err)
	}
	c := &call[R]{response, bufio.NewReader(response.Body)}
	switch {
	case response.Header.Get("Grpc-Status") != "": // there is no reply
		err = failure(response.Header)
	case response.StatusCode != http.StatusOK:
		err = &statusError{codeUnimplemented, "its answer is " + response.Status}
	}
	if err != nil {
		response.Body.Close()
		return nil, err
	}
	return c, nil
}

// next waits for the next reply. The error is io.EOF after the last one.
func (c *call[R]) next() (*R, error) {
	reply, err := c.read()
	if err != nil {
		c.response.Body.Close()
		return nil, cmp.Or(context.Cause(c.response.Request.Context()), err)
	}
	return reply, nil
}

func (c *call[R]) read() (*R, error) {
	var before [head]byte
	if _, err := io.ReadFull(c.body, before[:]); err == io.EOF {
		return nil, cmp.Or(failure(c.response.Trailer), io.EOF)
	} else if err != nil {
		return nil, err
	}
	if before[0] != 0 {
		return nil, errors.New("a reply is compressed, although compression was not requested")
	}
	length := int64(binary.BigEndian.Uint32(before[1:]))
	data, err := io.ReadAll(io.LimitReader(c.body, length)) // it grows by what arrives
	if err == nil && int64(len(data)) < length {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, err
	}
	reply := new(R)
	return reply, wire.Decode(data, reply)
}

// failure is the error in a header or trailer; nil: the call has succeeded.
func failure(h http.Header) error {
	code, err := strconv.Atoi(h.Get("Grpc-Status"))
	switch {
	case err != nil:
		return fmt.Errorf("the answer ended without a status: %w", io.ErrUnexpectedEOF)
	case code == 0:
		return nil
	}
	text := h.Get("Grpc-Message")
	if plain, err := url.PathUnescape(text); err == nil {
		text = plain
	}
	return &statusError{code, text}
}
