package sitewire_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/sitewire/sitewire-go"
)

type vector struct {
	Name    string
	Why     string
	Scheme  string
	Now     int64
	Secrets []string
	Headers map[string]string
	Fault   sitewire.Fault
	// Of deliveries:
	Body  []byte
	Event *sitewire.SiteReady
	// Of secrets: whether the receiver must not start.
	Refused bool
	// Of requests to a source:
	Method string
	URL    string
}

// readVectors skips the test where the module was downloaded alone, without the repository that the vectors are in.
func readVectors(t testing.TB, name string) []vector {
	t.Helper()
	text, err := os.ReadFile("../vectors/" + name)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("SKIPPED: the vectors ../vectors/%s are not there. They are in Sitewire's repository", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	var vectors []vector
	if err := json.Unmarshal(text, &vectors); err != nil {
		t.Fatal(err)
	}
	if len(vectors) == 0 {
		t.Fatalf("../vectors/%s is empty", name)
	}
	return vectors
}

func (v vector) header() http.Header {
	header := http.Header{}
	for name, value := range v.Headers {
		header[name] = []string{value}
	}
	return header
}

func (v vector) options() sitewire.Options {
	return sitewire.Options{Now: time.Unix(v.Now, 0)}
}

// faultOf fails the test if the error is a fault of the receiver.
func faultOf(t testing.TB, err error) sitewire.Fault {
	t.Helper()
	if err == nil {
		return ""
	}
	var rejected *sitewire.WebhookError
	if !errors.As(err, &rejected) {
		t.Fatalf("not a WebhookError: %v", err)
	}
	return rejected.Fault
}

func TestDeliveryVectors(t *testing.T) {
	for _, v := range append(readVectors(t, "deliveries.json"), readVectors(t, "secrets.json")...) {
		v := v
		if v.Scheme == "standard-webhooks" {
			continue // Those are for its own libraries.
		}
		t.Run(v.Name, func(t *testing.T) {
			event, err := sitewire.ConstructEvent(v.Body, v.header(), v.Secrets, v.options())
			if v.Refused {
				if rejected := (*sitewire.WebhookError)(nil); err == nil || errors.As(err, &rejected) {
					t.Fatalf("%v: %s", err, v.Why)
				}
				return
			}
			if (v.Event == nil) == (v.Fault == "") {
				t.Fatal("the vector must have either an event or a fault")
			}
			if fault := faultOf(t, err); fault != v.Fault {
				t.Fatalf("fault %q, expected %q: %s", fault, v.Fault, v.Why)
			}
			event.Delivery = "" // It is not in the body.
			if v.Event != nil && event != *v.Event {
				t.Errorf("got %+v, expected %+v", event, *v.Event)
			}
		})
	}
}

func TestSourceVectors(t *testing.T) {
	for _, v := range readVectors(t, "sources.json") {
		v := v
		t.Run(v.Name, func(t *testing.T) {
			err := sitewire.VerifySourceRequest(v.Method, v.URL, v.header(), v.Secrets, v.options())
			if fault := faultOf(t, err); fault != v.Fault {
				t.Errorf("fault %q, expected %q: %s", fault, v.Fault, v.Why)
			}
		})
	}
}
