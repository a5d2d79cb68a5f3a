package sitewire_test

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/quick"
	"time"

	"github.com/sitewire/sitewire-go"
	"github.com/sitewire/sitewire-go/sitewiretest"
)

const secret = "sws_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG"

// Each property is checked with random input by a test, and by `go test -fuzz`, which also looks for input that reaches other code.
const randomInputs = 20_000

func checkRandomly(t *testing.T, property any) {
	t.Helper()
	if err := quick.Check(property, &quick.Config{MaxCount: randomInputs}); err != nil {
		t.Error(err)
	}
}

func TestAnyBytes(t *testing.T) {
	checkRandomly(t, func(body []byte, bit uint) bool {
		checkAnyBytes(t, body, bit)
		return !t.Failed()
	})
}

func FuzzAnyBytes(f *testing.F) {
	f.Add([]byte(nil), uint(0))
	f.Add([]byte{0, 255, 10}, uint(9))
	f.Add(sitewiretest.SignDelivery(sitewiretest.SiteReady(), secret, sitewiretest.Options{}).Body, uint(77))
	f.Fuzz(checkAnyBytes)
}

// checkAnyBytes: whatever bytes are signed, their signature is valid, and it is of no other bytes.
func checkAnyBytes(t *testing.T, body []byte, bit uint) {
	delivery := sitewiretest.SignBody(body, secret, sitewiretest.Options{})
	_, err := sitewire.ConstructEvent(body, delivery.Header, []string{"another", secret}, sitewire.Options{})
	if fault := faultOf(t, err); fault != "" && fault != sitewire.FaultInvalidBody {
		t.Errorf("signed bytes: %v", err)
	}
	_, err = sitewire.ConstructEvent(body, delivery.Header, []string{"another"}, sitewire.Options{})
	if fault := faultOf(t, err); fault != sitewire.FaultMismatch {
		t.Errorf("another secret: %v", err)
	}
	if len(body) == 0 {
		return
	}
	flipped := bytes.Clone(body)
	flipped[bit/8%uint(len(body))] ^= 1 << (bit % 8)
	_, err = sitewire.ConstructEvent(flipped, delivery.Header, []string{secret}, sitewire.Options{})
	if fault := faultOf(t, err); fault != sitewire.FaultMismatch {
		t.Errorf("one flipped bit: %v", err)
	}
}

func TestHeaders(t *testing.T) {
	checkRandomly(t, func(name, one, two, id, timestamp, signature string) bool {
		checkHeaders(t, name, one, two, id, timestamp, signature)
		checkHeaders(t, "webhook-id", "sha256="+one, two, id, "1772366400", "v1,"+signature)
		return !t.Failed()
	})
}

func FuzzHeaders(f *testing.F) {
	f.Add("X-Sitewire-Signature", "sha256=", "sha256=", "webhook-id", "1772366400", "v1,AAAA v1a,BB")
	f.Add("webhook-id", "a.b", "", "", "９", "v1,")
	f.Add("WEBHOOK-SIGNATURE", "v1,\xff", "\x00", "x", "0", "v1, v1,x")
	f.Fuzz(checkHeaders)
}

// checkHeaders: headers that nobody signed are rejected, and cause nothing else.
func checkHeaders(t *testing.T, name, one, two, id, timestamp, signature string) {
	headers := http.Header{
		name:                   {one, two},
		"X-Sitewire-Signature": {one},
		"Webhook-Id":           {id},
		"Webhook-Timestamp":    {timestamp},
		"Webhook-Signature":    {signature},
	}
	for of, err := range verifyBoth([]byte("{}"), headers) {
		if fault := faultOf(t, err); fault == "" || fault == sitewire.FaultInvalidBody {
			t.Errorf("%s accepted headers that nobody signed", of)
		}
	}
}

// verifyBoth returns the errors of a delivery and of a request to a source with these headers.
func verifyBoth(body []byte, headers http.Header) map[string]error {
	options := sitewire.Options{Now: time.Unix(1772366400, 0)}
	_, err := sitewire.ConstructEvent(body, headers, []string{secret}, options)
	errSource := sitewire.VerifySourceRequest("GET", "https://x.example/", headers, []string{secret}, options)
	return map[string]error{"delivery": err, "source": errSource}
}

// Bodies of the vectors with some bytes replaced, because random bytes are never an event.
func TestBodies(t *testing.T) {
	vectors := readVectors(t, "deliveries.json")
	events := 0
	checkRandomly(t, func(vector uint, places [3]uint16, bytes [3]byte, replaced uint8) bool {
		body := slices.Clone(vectors[vector%uint(len(vectors))].Body)
		for i := 0; i < int(replaced%4) && len(body) > 0; i++ {
			body[int(places[i])%len(body)] = bytes[i]
		}
		if checkBody(t, body) {
			events++
		}
		return !t.Failed()
	})
	if events < randomInputs/10 {
		t.Errorf("only %d bodies were events", events)
	}
}

func FuzzBody(f *testing.F) {
	for _, v := range readVectors(f, "deliveries.json") {
		f.Add(v.Body)
	}
	f.Fuzz(func(t *testing.T, body []byte) { checkBody(t, body) })
}

// checkBody: a signed body is an event or rejected, and an event survives being serialised again. Returns true for an event.
func checkBody(t *testing.T, body []byte) bool {
	delivery := sitewiretest.SignBody(body, secret, sitewiretest.Options{})
	event, err := sitewire.ConstructEvent(body, delivery.Header, []string{secret}, sitewire.Options{})
	if fault := faultOf(t, err); fault == sitewire.FaultInvalidBody {
		return false
	}
	again := sitewiretest.SignDelivery(event, secret, sitewiretest.Options{})
	same, err := sitewire.ConstructEvent(again.Body, again.Header, []string{secret}, sitewire.Options{})
	if err != nil || same != event {
		t.Errorf("%+v became %+v: %v", event, same, err)
	}
	return true
}

func TestHostileInput(t *testing.T) {
	const megabytes = 5 << 20
	bodies := map[string][]byte{
		"5 MB of zeros":      make([]byte, megabytes),
		"nested arrays":      bytes.Repeat([]byte("["), megabytes),
		"nested objects":     bytes.Repeat([]byte(`{"a":`), megabytes/5),
		"a text without end": append([]byte(`"`), bytes.Repeat([]byte("a"), megabytes)...),
		"a long number":      bytes.Repeat([]byte("9"), megabytes),
	}
	for name, body := range bodies {
		delivery := sitewiretest.SignBody(body, secret, sitewiretest.Options{})
		_, err := sitewire.ConstructEvent(body, delivery.Header, []string{secret}, sitewire.Options{})
		if fault := faultOf(t, err); fault != sitewire.FaultInvalidBody {
			t.Errorf("%s: %v", name, err)
		}
	}
	headers := map[string]string{
		"many signatures":   strings.Repeat("v1,x ", megabytes/5) + "v1,x",
		"one large value":   "v1," + strings.Repeat("x", megabytes),
		"a large version":   "v" + strings.Repeat("1", megabytes) + ",x",
		"nothing but space": strings.Repeat(" ", megabytes),
	}
	for name, value := range headers {
		delivery := sitewiretest.SignDelivery(sitewiretest.SiteReady(), secret, sitewiretest.Options{})
		delivery.Header.Set("webhook-id", "7_1")
		delivery.Header.Set("webhook-timestamp", "1772366400")
		delivery.Header.Set("webhook-signature", value)
		delivery.Header.Set("X-Sitewire-Signature", value)
		for _, err := range verifyBoth(delivery.Body, delivery.Header) {
			if fault := faultOf(t, err); fault != sitewire.FaultMalformed && fault != sitewire.FaultMismatch {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
