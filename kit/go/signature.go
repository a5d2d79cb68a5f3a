package sitewire

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

var (
	sitewireForm  = regexp.MustCompile(`^sha256=[0-9a-f]{64}$`)
	timestampForm = regexp.MustCompile(`^[0-9]{1,10}$`)
	challengeForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,200}$`)
	signatureForm = regexp.MustCompile(`^v[0-9]+[a-z]?,\S+$`)
)

// SecretKey returns the HMAC key of a secret: the text of the secret, or what follows whsec_ in the form for libraries of
// Standard Webhooks, decoded from base64. Its errors are faults of the receiver.
func SecretKey(secret string) ([]byte, error) {
	if secret == "" {
		return nil, errors.New("sitewire: a secret is empty, so anybody could sign. " +
			"Check that the variable with the channel's signing secret is set")
	}
	if !utf8.ValidString(secret) {
		return nil, errors.New("sitewire: a secret is not a text in UTF-8. Pass it as it was shown, without decoding it")
	}
	text, encoded := strings.CutPrefix(secret, "whsec_")
	if !encoded {
		return []byte(secret), nil
	}
	key, err := base64.StdEncoding.DecodeString(text)
	// Compared, because the decoder ignores line breaks.
	if err != nil || text == "" || base64.StdEncoding.EncodeToString(key) != text {
		return nil, errors.New("sitewire: a secret begins with whsec_, but the rest is not base64. " +
			"Pass it exactly as it was shown, in either form")
	}
	return key, nil
}

func secretKeys(secrets []string) ([][]byte, error) {
	if len(secrets) == 0 {
		return nil, errors.New("sitewire: there is no secret, so nothing can be verified. Pass the channel's signing secret")
	}
	keys := make([][]byte, len(secrets))
	for index, secret := range secrets {
		key, err := SecretKey(secret)
		if err != nil {
			return nil, err
		}
		keys[index] = key
	}
	return keys, nil
}

// complete fills in the defaults. Its errors are faults of the receiver.
func (o Options) complete() (Options, error) {
	if o.Tolerance < 0 {
		return o, errors.New("sitewire: the tolerance is negative, so every request would be outdated. Use a positive duration")
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

func verifySitewire(body []byte, headers http.Header, keys [][]byte, options Options) error {
	values, err := present(headers, options.Header)
	if err != nil {
		return err
	}
	if len(values) > 1 || !sitewireForm.MatchString(values[0]) {
		return malformed(options.Header, `exactly "sha256=" and 64 lowercase hexadecimal digits, once`)
	}
	match := false
	for _, key := range keys {
		// Every secret is tried, so that the time taken does not reveal which one matched.
		expected := "sha256=" + hex.EncodeToString(sign(key, body))
		match = hmac.Equal([]byte(expected), []byte(values[0])) || match
	}
	if !match {
		return mismatch("the body")
	}
	return nil
}

func verifyStandardWebhooks(body []byte, headers http.Header, keys [][]byte, options Options) error {
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
	for _, key := range keys {
		mac := sign(key, []byte(ids[0]+"."+timestamps[0]+"."), body)
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

// beside returns name and value of another header of the service, such as X-Sitewire-Delivery beside X-Sitewire-Signature.
func beside(headers http.Header, signature, word string) (name, value string) {
	service, isSignature := strings.CutSuffix(strings.ToLower(signature), "-signature")
	if !isSignature {
		return "", ""
	}
	name = service + "-" + word
	return name, once(headers, name)
}

// once returns "" if the header is not there once.
func once(headers http.Header, name string) string {
	if values, err := present(headers, name); err == nil && len(values) == 1 {
		return values[0]
	}
	return ""
}

func sign(key []byte, parts ...[]byte) []byte {
	mac := hmac.New(sha256.New, key)
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
