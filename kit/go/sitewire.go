// Package sitewire verifies what the Sitewire service sends to partners: site.ready deliveries, and requests to a
// partner's API.
//
// [NewHandler] is a whole receiver for net/http. [ConstructEvent] is the same check for any other framework.
package sitewire

import (
	"encoding/json"
	"net/http"
	"time"
	"unicode/utf8"
)

// SiteReady says that a site which was bought through a sales channel is paid and ready.
type SiteReady struct {
	// Event is always "site.ready".
	Event string `json:"event"`
	// Channel is the sales channel.
	Channel string `json:"channel"`
	// Reference is what was passed to the purchase frame as data-ref.
	Reference string `json:"reference"`
	// SiteURL is the URL of the site. It is the key for processing an event once.
	SiteURL string `json:"site_url"`
	// ConsoleURL is the URL of the site's management console.
	ConsoleURL string `json:"console_url"`
	// Name is the name of the site.
	Name string `json:"name"`
	// Email is the contact address of the site's owner: personal data.
	Email string `json:"email"`
	// CreatedAt is the creation time in UTC, such as 2026-03-01T12:00:00+00:00.
	CreatedAt string `json:"created_at"`
	// Delivery is the id of the delivery that the event came in, or "" if the header is missing. Of two deliveries of a
	// site, the one with the greater id, as text, has the newer content.
	Delivery string `json:"-"`
}

// Options are optional in every field: the zero value selects the default.
type Options struct {
	// Header is the name of a delivery's signature header, if the operator runs the service under another name.
	// Default: X-Sitewire-Signature.
	Header string
	// Tolerance is the largest difference between the signed time of a request to a source and this machine's clock.
	// Default: 5 minutes.
	Tolerance time.Duration
	// Now replaces this machine's clock in tests of requests to a source.
	Now time.Time
}

// ConstructEvent verifies a delivery and returns its content.
//
// rawBody is the body as it arrived: JSON that was parsed and serialised again has other bytes. The names in headers
// can have any case. secrets are the channel's signing secret, or the old and the new one during a rotation.
//
// The error is a [*WebhookError] if the delivery must be rejected. Any other error is a fault of the receiver: there is
// no secret, a secret is unusable, or an option has no meaning.
func ConstructEvent(rawBody []byte, headers http.Header, secrets []string, options Options) (SiteReady, error) {
	keys, err := secretKeys(secrets)
	if err != nil {
		return SiteReady{}, err
	}
	if options, err = options.complete(); err != nil {
		return SiteReady{}, err
	}
	if err = verifySitewire(rawBody, headers, keys, options); err != nil {
		return SiteReady{}, err
	}
	event, err := parse(rawBody)
	if err != nil {
		return SiteReady{}, err
	}
	_, event.Delivery = beside(headers, options.Header, "delivery")
	return event, nil
}

// parse is not json.Unmarshal into a SiteReady, because that accepts names in another case, null for a text and bytes
// that are no UTF-8.
func parse(body []byte) (SiteReady, error) {
	var fields map[string]json.RawMessage
	if !utf8.Valid(body) || json.Unmarshal(body, &fields) != nil {
		return SiteReady{}, invalidBody("it is not a JSON object in UTF-8")
	}
	var event SiteReady
	for _, field := range []struct {
		name string
		text *string
	}{
		{"event", &event.Event},
		{"channel", &event.Channel},
		{"reference", &event.Reference},
		{"site_url", &event.SiteURL},
		{"console_url", &event.ConsoleURL},
		{"name", &event.Name},
		{"email", &event.Email},
		{"created_at", &event.CreatedAt},
	} {
		value := fields[field.name]
		if len(value) == 0 || value[0] != '"' || json.Unmarshal(value, field.text) != nil {
			return SiteReady{}, invalidBody("the field " + field.name + " is missing or not a text")
		}
	}
	if event.Event != "site.ready" {
		return SiteReady{}, invalidBody("the field event is not site.ready")
	}
	return event, nil
}
