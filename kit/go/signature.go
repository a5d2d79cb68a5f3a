package sitewire

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Scheme selects which of a delivery's headers are verified.
type Scheme string

const (
	// SchemeSitewire is the header X-Sitewire-Signature.
	SchemeSitewire Scheme = "sitewire"
	// SchemeStandardWebhooks is the three headers of Standard Webhooks, which also sign a time, so that a captured
	// request cannot be sent again later. The secret is the channel's secret as text, even if it begins with whsec_.
	SchemeStandardWebhooks Scheme = "standard-webhooks"
)

var (
	sitewireForm  = regexp.MustCompile(`^sha256=[0-9a-f]{64}$`)
	timestampForm = regexp.MustCompile(`^[0-9]{1,10}$`)
	signatureForm = regexp.MustCompile(`^v[0-9]+[a-z]?,\S+$`)
)

// complete fills in the defaults. Its errors are faults of the receiver.
func (o Options) complete(secrets []string) (Options, error) {
	if len(secrets) == 0 {
		return o, errors.New("sitewire: there is no secret, so nothing can be verified. Pass the channel's signing secret")
	}
	for _, secret := range secrets {
		if secret == "" {
			return o, errors.New("sitewire: a secret is empty, so anybody could sign. " +
				"Check that the variable with the channel's signing secret is set")
		}
		if !utf8.ValidString(secret) {
			return o, errors.New("sitewire: a secret is not a text in UTF-8. Pass it as it was shown, without decoding it")
		}
	}
	if o.Scheme == "" {
		o.Scheme = SchemeSitewire
	}
	if o.Scheme != SchemeSitewire && o.Scheme != SchemeStandardWebhooks {
		return o, fmt.Errorf("sitewire: there is no scheme %q. Use %s or %s", o.Scheme, SchemeSitewire, SchemeStandardWebhooks)
	}
	if o.Tolerance < 0 {
		return o, errors.New("sitewire: the tolerance is negative, so every delivery would be outdated. Use a positive duration")
	}
	if o.Tolerance == 0 {
		o.Tolerance = 5 * time.Minute
	}
	if o.Now.IsZero() {
		o.Now = time.Now()
	}
	if o.Header == "" {
		o.Header = "X-Sitewire-Signature"
	}
	return o, nil
}

func verifySitewire(body []byte, headers http.Header, secrets []string, options Options) error {
	values, err := present(headers, options.Header)
	if err != nil {
		return err
	}
	if len(values) > 1 || !sitewireForm.MatchString(values[0]) {
		return malformed(options.Header, `exactly "sha256=" and 64 lowercase hexadecimal digits, once`)
	}
	match := false
	for _, secret := range secrets {
		// Every secret is tried, so that the time taken does not reveal which one matched.
		expected := "sha256=" + hex.EncodeToString(sign(secret, body))
		match = hmac.Equal([]byte(expected), []byte(values[0])) || match
	}
	if !match {
		return mismatch("the body")
	}
	return nil
}

func verifyStandardWebhooks(body []byte, headers http.Header, secrets []string, options Options) error {
	ids, err := present(headers, "webhook-id")
	if err != nil {
		return err
	}
	timestamps, err := present(headers, "webhook-timestamp")
	if err != nil {
		return err
	}
	signatures, err := present(headers, "webhook-signature")
	if err != nil {
		return err
	}
	// A full stop in the id would let the same text be divided in another way.
	if len(ids) > 1 || strings.Contains(ids[0], ".") {
		return malformed("webhook-id", "one value without a full stop")
	}
	if len(timestamps) > 1 || !timestampForm.MatchString(timestamps[0]) {
		return malformed("webhook-timestamp", "1 to 10 digits")
	}
	claimed := strings.Split(signatures[0], " ")
	for _, one := range claimed {
		if len(signatures) > 1 || !signatureForm.MatchString(one) {
			return malformed("webhook-signature", `"version,signature" once or several times, separated by one space`)
		}
	}
	seconds, _ := strconv.ParseInt(timestamps[0], 10, 64)
	if options.Now.Sub(time.Unix(seconds, 0)).Abs() > options.Tolerance {
		return reject(FaultOutdated, "the signed time is more than %s from this machine's clock, so the request may be a "+
			"captured one that is sent again. Respond 401. If genuine requests fail so, correct the clock", options.Tolerance)
	}
	match := false
	for _, secret := range secrets {
		mac := sign(secret, []byte(ids[0]+"."+timestamps[0]+"."), body)
		expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac))
		for _, one := range claimed {
			match = hmac.Equal(expected, []byte(one)) || match
		}
	}
	if !match {
		return mismatch("the id, the time or what is signed with them")
	}
	return nil
}

// deliveryID returns "" if the header is not there once. It is X-Sitewire-Delivery beside X-Sitewire-Signature.
func deliveryID(headers http.Header, options Options) string {
	name := "webhook-id"
	if options.Scheme == SchemeSitewire {
		service, isSignature := strings.CutSuffix(strings.ToLower(options.Header), "-signature")
		if !isSignature {
			return ""
		}
		name = service + "-delivery"
	}
	if values, err := present(headers, name); err == nil && len(values) == 1 {
		return values[0]
	}
	return ""
}

func sign(secret string, parts ...[]byte) []byte {
	mac := hmac.New(sha256.New, []byte(secret))
	for _, part := range parts {
		mac.Write(part)
	}
	return mac.Sum(nil)
}

// present returns all values of a header, or an error if there is none, or only an empty one.
func present(headers http.Header, name string) ([]string, error) {
	var values []string
	for key, more := range headers {
		if http.CanonicalHeaderKey(key) == http.CanonicalHeaderKey(name) {
			values = append(values, more...)
		}
	}
	if len(values) == 0 || len(values) == 1 && values[0] == "" {
		return nil, missing(name)
	}
	return values, nil
}
