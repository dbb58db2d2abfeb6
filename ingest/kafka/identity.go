package kafka

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Identity has the ids of the cluster and the topics. A topic that was deleted and created
// again has another id. An id is "" if the brokers are too old to report it.
type Identity struct {
	Cluster string
	Topics  map[string]string // the ids by topic name, in the form of Kafka's tools
}

// Identify requests the ids from the brokers. It uses no cache.
func (s *Source) Identify(ctx context.Context) (id Identity, err error) {
	err = s.Attempt(ctx, "read which topics these are", func(ctx context.Context) error {
		answer, err := s.transport.RoundTrip(ctx, s.client.Addr, &identify{topics: s.opts.Topics})
		if err != nil {
			return err
		}
		id, err = answer.(*identify).identity()
		return err
	})
	return id, err
}

// identify is a metadata request in a version with topic ids, which the library lacks.
type identify struct {
	topics []string
	answer kmsg.MetadataResponse
}

const (
	// clusterVersion is the first version of metadata with the cluster's id.
	// latestVersion is the last one that is decoded here.
	clusterVersion, latestVersion = 2, 12
)

// ApiKey implements protocol.Message.
func (i *identify) ApiKey() protocol.ApiKey { return protocol.Metadata }

// Required makes the library leave the exchange to RawExchange.
func (i *identify) Required(map[protocol.ApiKey]int16) bool { return true }

// RawExchange requests the broker's versions, and then the metadata.
func (i *identify) RawExchange(conn io.ReadWriter) (protocol.Message, error) {
	known := kmsg.NewPtrApiVersionsRequest()
	versions := kmsg.NewPtrApiVersionsResponse()
	if err := exchange(conn, known, versions); err != nil {
		return nil, err
	}
	req := kmsg.NewPtrMetadataRequest()
	for _, k := range versions.ApiKeys {
		if k.ApiKey == req.Key() {
			req.Version = min(k.MaxVersion, latestVersion)
		}
	}
	for _, name := range i.topics {
		topic := kmsg.NewMetadataRequestTopic()
		topic.Topic = kmsg.StringPtr(name)
		req.Topics = append(req.Topics, topic)
	}
	i.answer = kmsg.NewMetadataResponse()
	i.answer.Version = req.Version
	if req.Version < clusterVersion {
		return i, nil
	}
	return i, exchange(conn, req, &i.answer)
}

// exchange sends a request and reads its answer.
func exchange(conn io.ReadWriter, req kmsg.Request, answer kmsg.Response) error {
	out := kmsg.NewRequestFormatter(kmsg.FormatterClientID(clientID)).AppendRequest(nil, req, 0)
	if _, err := conn.Write(out); err != nil {
		return err
	}
	var head [4]byte
	if _, err := io.ReadFull(conn, head[:]); err != nil {
		return err
	}
	size := int64(int32(binary.BigEndian.Uint32(head[:])))
	if size < 4 || size > maxAnswer {
		return permanent{fmt.Errorf("the broker's answer has an impossible size, %d bytes", size)}
	}
	body, err := io.ReadAll(io.LimitReader(conn, size))
	if err == nil && int64(len(body)) < size {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return err
	}
	body = body[4:] // correlation: a connection has one request at a time
	if answer.IsFlexible() {
		if len(body) == 0 || body[0] != 0 {
			return permanent{fmt.Errorf("the broker's answer does not match the request")}
		}
		body = body[1:]
	}
	if err := answer.ReadFrom(body); err != nil {
		return permanent{fmt.Errorf("the broker's answer cannot be read: %w", err)}
	}
	return nil
}

func (i *identify) identity() (Identity, error) {
	id := Identity{Topics: map[string]string{}}
	if i.answer.ClusterID != nil {
		id.Cluster = *i.answer.ClusterID
	}
	for _, t := range i.answer.Topics {
		name := ""
		if t.Topic != nil {
			name = *t.Topic
		}
		if t.ErrorCode != 0 {
			return id, topicError{name, kafkago.Error(t.ErrorCode)}
		}
		if t.TopicID != [16]byte{} {
			id.Topics[name] = base64.RawURLEncoding.EncodeToString(t.TopicID[:])
		}
	}
	return id, nil
}
