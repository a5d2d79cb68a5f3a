package publish

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

type vector struct {
	Name    string
	Event   json.RawMessage
	Headers Headers
	Field   *string
}

func readVectors(t *testing.T) (valid, invalid []vector) {
	data, err := os.ReadFile("../../vectors/site-paid.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []vector
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	for _, one := range all {
		switch {
		case one.Field == nil:
			valid = append(valid, one)
		// In Go an empty text means that there is no header.
		case one.Name != "correlation is empty":
			invalid = append(invalid, one)
		}
	}
	return valid, invalid
}

// nowhere has an address where nothing listens.
func nowhere(t *testing.T) *SitePaidPublisher {
	publisher, err := NewSitePaidPublisher("", kgo.SeedBrokers("127.0.0.1:1"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(publisher.Close)
	return publisher
}

func parse(t *testing.T, one vector) SitePaid {
	event, err := ParseSitePaid(one.Event)
	if err != nil {
		t.Fatal(err)
	}
	return event
}

func TestEveryMistakeIsRefusedBeforeTheBroker(t *testing.T) {
	publisher := nowhere(t)
	_, invalid := readVectors(t)
	for _, one := range invalid {
		t.Run(one.Name, func(t *testing.T) {
			_, err := ParseSitePaid(one.Event)
			var event SitePaid
			// The type refuses what is no text. A missing field is empty, which reference and name may be.
			typed := json.Unmarshal(one.Event, &event) == nil
			mayBeEmpty := *one.Field == "reference" || *one.Field == "name"
			if typed && !(mayBeEmpty && event.Reference == "" || mayBeEmpty && event.Name == "") {
				requireField(t, publish(publisher, event, one.Headers), *one.Field)
			}
			if one.Headers == (Headers{}) {
				requireField(t, err, *one.Field)
			}
			if buffered := publisher.client.BufferedProduceRecords(); buffered != 0 {
				t.Fatalf("%d records were sent", buffered)
			}
		})
	}
}

func publish(publisher *SitePaidPublisher, event SitePaid, headers Headers) error {
	// Ends a test that fails: nothing answers.
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_, err := publisher.Publish(ctx, event, headers)
	return err
}

func requireField(t *testing.T, err error, field string) {
	t.Helper()
	var invalid *InvalidSitePaidError
	if !errors.As(err, &invalid) || invalid.Field != field {
		t.Fatalf("the error is %v, not one of %s", err, field)
	}
	form := regexp.MustCompile("^site.paid was not published: " + field + ` [^.]+\. [A-Z].+\.$`)
	if !form.MatchString(err.Error()) || strings.Contains(err.Error(), "s3cret") {
		t.Fatalf("the message is: %v", err)
	}
}

func TestEveryValidEventIsAccepted(t *testing.T) {
	valid, _ := readVectors(t)
	for _, one := range valid {
		t.Run(one.Name, func(t *testing.T) {
			event := parse(t, one)
			// Partners in Go parse it.
			if parsed, err := url.Parse(event.SiteURL); err != nil || parsed.Host == "" {
				t.Fatal(parsed, err)
			}
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			// The end of ctx is the only reason why the event is not published.
			if _, err := nowhere(t).Publish(ctx, event, one.Headers); !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
		})
	}
}

func TestInvalidUTF8IsRefused(t *testing.T) {
	valid, _ := readVectors(t)
	event := parse(t, valid[0])
	event.Name = "B\xe4ckerei"
	requireField(t, publish(nowhere(t), event, Headers{}), "name")
}

func TestWhatIsNoObjectIsRefused(t *testing.T) {
	for _, text := range []string{"", "null", "[]", `"s3cret"`, `{"id": s3cret}`} {
		if _, err := ParseSitePaid([]byte(text)); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Fatalf("%q: %v", text, err)
		}
	}
}

func TestAcksIdempotenceAndCompressionCannotBeChanged(t *testing.T) {
	if _, err := NewSitePaidPublisher("", kgo.DisableIdempotentWrite(), kgo.RequiredAcks(kgo.LeaderAck())); err == nil {
		t.Fatal("idempotence was disabled")
	}
	publisher, err := NewSitePaidPublisher("", kgo.ProducerBatchCompression(kgo.ZstdCompression()))
	if err != nil {
		t.Fatal(err)
	}
	defer publisher.Close()
	if acks := publisher.client.OptValue(kgo.RequiredAcks); acks != kgo.AllISRAcks() {
		t.Fatalf("acks: %v", acks)
	}
	codecs := publisher.client.OptValue(kgo.ProducerBatchCompression).([]kgo.CompressionCodec)
	if len(codecs) != 1 || codecs[0] != kgo.NoCompression() {
		t.Fatalf("codecs: %v", codecs)
	}
}

func TestTheRealBrokerStoresEveryValidEvent(t *testing.T) {
	brokers := os.Getenv("KAFKA_BROKERS")
	if brokers == "" {
		t.Skip("KAFKA_BROKERS is not set")
	}
	publisher, err := NewSitePaidPublisher(os.Getenv("TOPIC_PREFIX")+"site.paid", kgo.SeedBrokers(strings.Split(brokers, ",")...))
	if err != nil {
		t.Fatal(err)
	}
	defer publisher.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	valid, _ := readVectors(t)
	var stored sync.Map
	var all sync.WaitGroup
	for _, one := range valid {
		event := parse(t, one)
		all.Add(1)
		go func() {
			defer all.Done()
			where, err := publisher.Publish(ctx, event, one.Headers)
			if _, double := stored.LoadOrStore(where, true); err != nil || double {
				t.Errorf("%s: %v %v", one.Name, where, err)
			}
		}()
	}
	all.Wait()
}
