package sitewire_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/sitewire/sitewire-go"
	"github.com/sitewire/sitewire-go/sitewiretest"
)

func TestFaultsOfTheReceiver(t *testing.T) {
	delivery := sitewiretest.SignDelivery(sitewiretest.SiteReady(), secret, sitewiretest.Options{})
	good := []string{secret}
	for name, of := range map[string]struct {
		secrets []string
		options sitewire.Options
		says    string
	}{
		"no secret":           {nil, sitewire.Options{}, "there is no secret"},
		"an empty secret":     {[]string{""}, sitewire.Options{}, "a secret is empty"},
		"one of two is empty": {[]string{secret, ""}, sitewire.Options{}, "a secret is empty"},
		"a decoded secret":    {[]string{"\xff\xfe"}, sitewire.Options{}, "not a text"},
		"no tolerance":        {good, sitewire.Options{Tolerance: -time.Second}, "negative"},
	} {
		_, err := sitewire.ConstructEvent(delivery.Body, delivery.Header, of.secrets, of.options)
		errSource := sitewire.VerifySourceRequest("GET", "https://x.example/", delivery.Header, of.secrets, of.options)
		for _, err := range []error{err, errSource} {
			var rejected *sitewire.WebhookError
			if err == nil || errors.As(err, &rejected) || !strings.Contains(err.Error(), of.says) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// The message is for a log, which must not have secrets or the content of requests.
func TestMessagesHaveNoContent(t *testing.T) {
	event := sitewiretest.SiteReady()
	event.Event = "site.paid"
	signed := sitewiretest.SignDelivery(event, secret, sitewiretest.Options{})
	forged := sitewiretest.SignDelivery(event, "forged", sitewiretest.Options{ID: "a.b"})
	for _, delivery := range []sitewiretest.Delivery{signed, forged} {
		for _, err := range verifyBoth(delivery.Body, delivery.Header) {
			if err == nil || !strings.Contains(err.Error(), "Respond 40") {
				t.Errorf("the message does not say what to do: %v", err)
				continue
			}
			for _, content := range []string{secret, event.Event, event.Email, delivery.Header.Get("X-Sitewire-Signature")} {
				if strings.Contains(err.Error(), content) {
					t.Errorf("the message %q has %q", err, content)
				}
			}
		}
	}
}

func TestEventHasTheIDOfItsDelivery(t *testing.T) {
	for name, of := range map[string]struct {
		change   func(http.Header)
		options  sitewire.Options
		expected string
	}{
		"X-Sitewire-Delivery": {func(http.Header) {}, sitewire.Options{}, "d1"},
		"another name of the service": {func(h http.Header) {
			h.Set("X-Shop-Signature", h.Get("X-Sitewire-Signature"))
			h.Set("X-Shop-Delivery", "d3")
		}, sitewire.Options{Header: "x-shop-signature"}, "d3"},
		"another form of name": {func(h http.Header) { h.Set("X-Proof", h.Get("X-Sitewire-Signature")) },
			sitewire.Options{Header: "X-Proof"}, ""},
		"no header":   {func(h http.Header) { h.Del("X-Sitewire-Delivery") }, sitewire.Options{}, ""},
		"two headers": {func(h http.Header) { h.Add("X-Sitewire-Delivery", "d2") }, sitewire.Options{}, ""},
	} {
		delivery := sitewiretest.SignDelivery(sitewiretest.SiteReady(), secret, sitewiretest.Options{ID: "d1"})
		of.change(delivery.Header)
		event, err := sitewire.ConstructEvent(delivery.Body, delivery.Header, []string{secret}, of.options)
		if err != nil || event.Delivery != of.expected {
			t.Errorf("%s: %q, %v", name, event.Delivery, err)
		}
	}
}

func TestHeaderOfAnotherName(t *testing.T) {
	delivery := sitewiretest.SignDelivery(sitewiretest.SiteReady(), secret, sitewiretest.Options{})
	options := sitewire.Options{Header: "X-Example-Signature"}
	_, err := sitewire.ConstructEvent(delivery.Body, delivery.Header, []string{secret}, options)
	if fault := faultOf(t, err); fault != sitewire.FaultMissing {
		t.Errorf("without the header: %v", err)
	}
	delivery.Header["x-example-signature"] = delivery.Header["X-Sitewire-Signature"]
	if _, err := sitewire.ConstructEvent(delivery.Body, delivery.Header, []string{secret}, options); err != nil {
		t.Errorf("with the header: %v", err)
	}
}

func TestRepeatedHeadersAreMalformed(t *testing.T) {
	for _, name := range []string{"X-Sitewire-Signature", "Webhook-Id", "Webhook-Timestamp", "Webhook-Signature"} {
		headers := http.Header{"X-Sitewire-Signature": {"sha256=" + strings.Repeat("a", 64)}, "Webhook-Id": {"7_1"},
			"Webhook-Timestamp": {"1772366400"}, "Webhook-Signature": {"v1,x"}}
		headers.Add(name, headers.Get(name))
		of := "source"
		if name == "X-Sitewire-Signature" {
			of = "delivery"
		}
		err := verifyBoth(nil, headers)[of]
		if fault := faultOf(t, err); fault != sitewire.FaultMalformed {
			t.Errorf("%s twice: %v", name, err)
		}
	}
}

func TestTolerance(t *testing.T) {
	headers := http.Header{"Webhook-Id": {"7_1"}, "Webhook-Timestamp": {"1772366400"}, "Webhook-Signature": {"v1,x"}}
	// Within the tolerance, the signature is looked at, which nobody made.
	outdated, recent := sitewire.FaultOutdated, sitewire.FaultMismatch
	for seconds, expected := range map[int64]sitewire.Fault{10: recent, 11: outdated, -10: recent, -11: outdated} {
		options := sitewire.Options{Tolerance: 10 * time.Second, Now: time.Unix(1772366400+seconds, 0)}
		err := sitewire.VerifySourceRequest("GET", "https://x.example/", headers, []string{secret}, options)
		if fault := faultOf(t, err); fault != expected {
			t.Errorf("%d s: fault %q, expected %q", seconds, fault, expected)
		}
	}
}
