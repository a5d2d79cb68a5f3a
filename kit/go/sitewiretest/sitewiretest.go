// Package sitewiretest makes site.ready deliveries as Sitewire sends them, for the tests of a receiver.
package sitewiretest

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"

	"github.com/sitewire/sitewire-go"
)

const exampleID = "019aa000-0000-7000-8000-000000000000"

// Options are optional in every field.
type Options struct {
	// ID is the id of the delivery. Default: that of the event, or 019aa000-0000-7000-8000-000000000000.
	ID string
}

// Delivery is a signed delivery.
type Delivery struct {
	Body   []byte
	Header http.Header
}

// SiteReady returns an event with fictional content.
func SiteReady() sitewire.SiteReady {
	return sitewire.SiteReady{
		Event:      "site.ready",
		Channel:    "acme",
		Reference:  "user-4711",
		SiteURL:    "https://bakery.example/",
		ConsoleURL: "https://bakery.example/console/",
		Name:       "Bakery",
		Email:      "owner@bakery.example",
		CreatedAt:  "2026-03-01T12:00:00+00:00",
		Delivery:   exampleID,
	}
}

// SignDelivery returns the delivery of an event, without the headers of Standard Webhooks. It panics if the secret is unusable.
func SignDelivery(event sitewire.SiteReady, secret string, options Options) Delivery {
	body, err := json.Marshal(event)
	if err != nil {
		panic(err) // A struct of strings can always be encoded.
	}
	if options.ID == "" {
		options.ID = event.Delivery
	}
	return SignBody(body, secret, options)
}

// SignBody is [SignDelivery] for any body, for instance one that is not JSON.
func SignBody(body []byte, secret string, options Options) Delivery {
	if options.ID == "" {
		options.ID = exampleID
	}
	key, err := sitewire.SecretKey(secret)
	if err != nil {
		panic(err)
	}
	mac := hmac.New(sha256.New, key)
	mac.Write(body)
	header := http.Header{}
	header.Set("Content-Type", "application/json")
	header.Set("X-Sitewire-Signature", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	header.Set("X-Sitewire-Delivery", options.ID)
	header.Set("X-Sitewire-Attempt", "1")
	return Delivery{body, header}
}

// Request returns a server's request with this delivery, for the ServeHTTP of a handler.
func (d Delivery) Request(target string) *http.Request {
	request := httptest.NewRequest(http.MethodPost, target, bytes.NewReader(d.Body))
	request.Header = d.Header.Clone()
	return request
}
