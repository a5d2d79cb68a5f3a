// Package publish publishes Sitewire's event site.paid: typed, checked before the broker, with the event's id as the
// key, the acknowledgement of all in-sync replicas, and idempotence.
package publish

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"
)

// Headers are the optional headers of a record. An empty text means that the header is not sent.
type Headers struct {
	// Correlation follows the event through all log lines: up to 200 printable ASCII characters.
	Correlation string
	// Traceparent is your trace, which the delivery continues (W3C Trace Context).
	Traceparent string
}

// Stored says where a record is stored.
type Stored struct {
	Topic     string
	Partition int32
	Offset    int64
}

// SitePaidPublisher publishes site.paid. One for a process is enough, and goroutines can share it.
type SitePaidPublisher struct {
	client *kgo.Client
	topic  string
}

// NewSitePaidPublisher takes the topic, which is the TOPIC_PREFIX of the installation and site.paid ("" means
// site.paid), and options of franz-go, such as kgo.SeedBrokers and the login. Options that it needs replace yours. It
// returns an error if an option is invalid or disables idempotence. It does not connect before the first event.
func NewSitePaidPublisher(topic string, options ...kgo.Opt) (*SitePaidPublisher, error) {
	if topic == "" {
		topic = "site.paid"
	}
	client, err := kgo.NewClient(append(append([]kgo.Opt{}, options...),
		kgo.RequiredAcks(kgo.AllISRAcks()),
		// Sitewire cannot read what franz-go compresses by default.
		kgo.ProducerBatchCompression(kgo.NoCompression()),
		// As Kafka's own client, so that an event has the same partition in every language.
		kgo.RecordPartitioner(kgo.StickyKeyPartitioner(nil)),
	)...)
	if err != nil {
		return nil, err
	}
	if disabled, _ := client.OptValue(kgo.DisableIdempotentWrite).(bool); disabled {
		client.Close()
		return nil, errors.New("site.paid is published with idempotence: remove kgo.DisableIdempotentWrite")
	}
	return &SitePaidPublisher{client, topic}, nil
}

// ParseSitePaid reads an event from a JSON object and checks it. Other fields are ignored. It returns an
// *InvalidSitePaidError if a field is missing or breaks a rule.
func ParseSitePaid(object []byte) (SitePaid, error) {
	var values map[string]any
	if json.Unmarshal(object, &values) != nil || values == nil {
		// The parser's message is not used, because it can quote the input.
		return SitePaid{}, errors.New("the event is not a JSON object: pass the object with the fields of site.paid")
	}
	if err := checkEvent(values); err != nil {
		return SitePaid{}, err
	}
	var event SitePaid
	return event, json.Unmarshal(object, &event)
}

// Publish returns when all in-sync replicas have stored the event, or when ctx ends: give it a deadline.
//
// It returns an *InvalidSitePaidError, and has sent nothing, if a field or header breaks a rule. After another error the
// event may be stored all the same: publish the same event again, because a second one with the same id is ignored.
func (p *SitePaidPublisher) Publish(ctx context.Context, event SitePaid, given Headers) (Stored, error) {
	if err := checkEvent(event.values()); err != nil {
		return Stored{}, err
	}
	value, err := json.Marshal(event)
	if err != nil {
		return Stored{}, err
	}
	record := &kgo.Record{Topic: p.topic, Key: []byte(event.ID), Value: value}
	texts := map[string]string{"correlation": given.Correlation, "traceparent": given.Traceparent}
	for _, header := range headers {
		text := texts[header.name]
		if text == "" {
			continue
		}
		if _, err := header.check(text); err != nil {
			return Stored{}, err
		}
		record.Headers = append(record.Headers, kgo.RecordHeader{Key: header.name, Value: []byte(text)})
	}
	ended := make(chan error, 1)
	p.client.Produce(ctx, record, func(_ *kgo.Record, err error) { ended <- err })
	select {
	case err = <-ended:
	case <-ctx.Done():
		// The client waits for an answer to a record that it has sent, even after ctx has ended.
		err = ctx.Err()
	}
	if err != nil {
		return Stored{}, fmt.Errorf("no acknowledgement of site.paid, publish the same event again: %w", err)
	}
	return Stored{record.Topic, record.Partition, record.Offset}, nil
}

// Close disconnects. Events that are being published get an error.
func (p *SitePaidPublisher) Close() { p.client.Close() }
