package sitewire_test

import (
	"bytes"
	"context"
	"errors"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/sitewire/sitewire-go"
	"github.com/sitewire/sitewire-go/sitewiretest"
)

func fixed(secrets ...string) func() []string {
	return func() []string { return secrets }
}

func ignore(context.Context, sitewire.SiteReady) error { return nil }

func TestHandlerResponses(t *testing.T) {
	event := sitewiretest.SiteReady()
	genuine := sitewiretest.SignDelivery(event, secret, sitewiretest.Options{})
	exactly := sitewiretest.SignBody(append(genuine.Body, bytes.Repeat([]byte(" "), 1000-len(genuine.Body))...), secret, sitewiretest.Options{})
	for name, of := range map[string]struct {
		delivery sitewiretest.Delivery
		status   int
		body     string
	}{
		"genuine":         {genuine, 204, ""},
		"at the limit":    {exactly, 204, ""},
		"above the limit": {sitewiretest.SignBody(append(exactly.Body, ' '), secret, sitewiretest.Options{}), 413, "the body is too large\n"},
		"forged":          {sitewiretest.SignDelivery(event, "forged", sitewiretest.Options{}), 401, `{"fault":"mismatch"}` + "\n"},
		"without headers": {sitewiretest.Delivery{Body: genuine.Body}, 401, `{"fault":"missing"}` + "\n"},
		"no site.ready":   {sitewiretest.SignBody([]byte("{}"), secret, sitewiretest.Options{}), 400, `{"fault":"invalid-body"}` + "\n"},
	} {
		var stored []sitewire.SiteReady
		handler, err := sitewire.NewHandler(fixed("old", secret), func(_ context.Context, event sitewire.SiteReady) error {
			stored = append(stored, event)
			return nil
		}, sitewire.HandlerOptions{MaxBodyBytes: 1000})
		if err != nil {
			t.Fatal(err)
		}
		response := httptest.NewRecorder()
		handler.ServeHTTP(response, of.delivery.Request("/webhook"))
		if response.Code != of.status || response.Body.String() != of.body {
			t.Errorf("%s: %d %q, expected %d %q", name, response.Code, response.Body, of.status, of.body)
		}
		if accepted := of.status == 204; accepted != (len(stored) == 1 && stored[0] == event) {
			t.Errorf("%s: stored %+v", name, stored)
		}
	}
}

func TestHandlerReturnsTheChallengeOfANewAddress(t *testing.T) {
	renamed := sitewire.Options{Header: "X-Shop-Signature"}
	for _, of := range []struct {
		secret, name, challenge, returned string
		options                           sitewire.Options
	}{
		{secret, "X-Sitewire-Challenge", "Ab_9-", "Ab_9-", sitewire.Options{}},
		{secret, "X-Shop-Challenge", "Ab_9-", "Ab_9-", renamed},
		{secret, "X-Sitewire-Challenge", "a, b", "", sitewire.Options{}},
		{"forged", "X-Sitewire-Challenge", "Ab_9-", "", sitewire.Options{}},
	} {
		handler, err := sitewire.NewHandler(fixed(secret), ignore, sitewire.HandlerOptions{Options: of.options})
		if err != nil {
			t.Fatal(err)
		}
		delivery := sitewiretest.SignDelivery(sitewiretest.SiteReady(), of.secret, sitewiretest.Options{})
		delivery.Header.Set("X-Shop-Signature", delivery.Header.Get("X-Sitewire-Signature"))
		delivery.Header.Set(of.name, of.challenge)
		response := httptest.NewRecorder()
		handler.ServeHTTP(response, delivery.Request("/webhook"))
		if returned := response.Header().Get(of.name); returned != of.returned {
			t.Errorf("%+v: %q", of, returned)
		}
	}
}

func TestHandlerRefusesToStartWithoutSecret(t *testing.T) {
	for _, secrets := range []func() []string{nil, fixed(), fixed(""), fixed(secret, "")} {
		if _, err := sitewire.NewHandler(secrets, ignore, sitewire.HandlerOptions{}); err == nil {
			t.Error("a handler without a usable secret was created")
		}
	}
	if _, err := sitewire.NewHandler(fixed(secret), nil, sitewire.HandlerOptions{}); err == nil {
		t.Error("a handler without a function was created")
	}
	if _, err := sitewire.NewHandler(fixed(secret), ignore, sitewire.HandlerOptions{MaxBodyBytes: -1}); err == nil {
		t.Error("a handler with a negative limit was created")
	}
}

func TestHandlerReadsSecretsForEachDelivery(t *testing.T) {
	current := "old"
	handler, err := sitewire.NewHandler(func() []string { return []string{current} }, ignore, sitewire.HandlerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []struct {
		current string
		status  int
	}{{"old", 401}, {secret, 204}} {
		current = of.current
		response := httptest.NewRecorder()
		handler.ServeHTTP(response, sitewiretest.SignDelivery(sitewiretest.SiteReady(), secret, sitewiretest.Options{}).Request("/"))
		if response.Code != of.status {
			t.Errorf("secret %q: %d, expected %d", of.current, response.Code, of.status)
		}
	}
}

// A failure of the receiver, even if it looks like a fault of the sender, is a 500, and the log of the server has it.
func TestHandlerFailures(t *testing.T) {
	var failure error
	current := []string{secret}
	handler, err := sitewire.NewHandler(func() []string { return current }, func(context.Context, sitewire.SiteReady) error {
		return failure
	}, sitewire.HandlerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var written bytes.Buffer
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = log.New(&written, "", 0)
	server.Start()
	defer server.Close()
	post := func() int {
		delivery := sitewiretest.SignDelivery(sitewiretest.SiteReady(), secret, sitewiretest.Options{})
		request, err := http.NewRequest(http.MethodPost, server.URL, bytes.NewReader(delivery.Body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header = delivery.Header
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return response.StatusCode
	}

	for _, failure = range []error{errors.New("the database is down"), &sitewire.WebhookError{Fault: sitewire.FaultMismatch}} {
		if status := post(); status != 500 {
			t.Errorf("%v: %d, expected 500", failure, status)
		}
	}
	failure, current = nil, nil
	if status := post(); status != 500 {
		t.Errorf("without a secret: %d, expected 500", status)
	}
	server.Close() // Now nothing writes to the log any more.
	for _, text := range []string{"the database is down", "there is no secret"} {
		if !strings.Contains(written.String(), text) {
			t.Errorf("the log %q lacks %q", written.String(), text)
		}
	}
}

// The limit must hold for a body whose length is not announced, and must not wait for its end.
func TestHandlerStopsReadingAtTheLimit(t *testing.T) {
	handler, err := sitewire.NewHandler(fixed(secret), ignore, sitewire.HandlerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	body := &endless{}
	request := httptest.NewRequest(http.MethodPost, "/", body)
	response := httptest.NewRecorder()
	handler.ServeHTTP(response, request)
	if response.Code != 413 || body.read > 256<<10 {
		t.Errorf("%d after %d bytes", response.Code, body.read)
	}
}

type endless struct{ read int }

func (e *endless) Read(buffer []byte) (int, error) {
	e.read += len(buffer)
	if e.read > 64<<20 {
		return 0, errors.New("still reading after 64 MB")
	}
	return len(buffer), nil
}

func TestDefaultsOfTheTestingHelper(t *testing.T) {
	delivery := sitewiretest.SignDelivery(sitewiretest.SiteReady(), secret, sitewiretest.Options{ID: "d1"})
	for name, expected := range map[string]string{
		"Content-Type":        "application/json",
		"X-Sitewire-Delivery": "d1",
		"X-Sitewire-Attempt":  "1",
	} {
		if value := delivery.Header.Get(name); value != expected {
			t.Errorf("%s: %q, expected %q", name, value, expected)
		}
	}
}
