package sitewire_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// callTrigger repeats the call, at most 8 times: after the seconds of Retry-After, otherwise after wait.
func callTrigger(client *http.Client, triggerURL string, wait time.Duration) error {
	for attempt := 1; ; attempt++ {
		response, err := client.Post(triggerURL, "", nil)
		if err != nil { // A repeated call does no harm. err has the URL, which is a secret.
			response = &http.Response{Status: "no response", StatusCode: 503, Body: http.NoBody}
		}
		response.Body.Close()
		if response.StatusCode == 202 {
			return nil
		}
		if attempt == 8 || response.StatusCode < 500 && response.StatusCode != 429 {
			return fmt.Errorf("the trigger did not accept the call: %s", response.Status)
		}
		if seconds, err := strconv.ParseUint(response.Header.Get("Retry-After"), 10, 16); err == nil {
			wait = time.Duration(seconds) * time.Second
		}
		time.Sleep(wait)
	}
}

func TestCallTrigger(t *testing.T) {
	for name, of := range map[string]struct {
		statuses []int
		fails    string
		atLeast  time.Duration
	}{
		"accepted":         {[]int{202}, "", 0},
		"accepted later":   {[]int{503, 202}, "", time.Second},
		"address replaced": {[]int{404}, "404 Not Found", 0},
	} {
		var calls []string
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			calls = append(calls, r.Method+" "+r.URL.Path)
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(of.statuses[len(calls)-1])
		}))
		start := time.Now()
		err := callTrigger(server.Client(), server.URL+"/connectors/hook/con/token/", time.Minute)
		took := time.Since(start)
		server.Close()
		if (err == nil) != (of.fails == "") || err != nil && !strings.Contains(err.Error(), of.fails) {
			t.Errorf("%s: %v", name, err)
		}
		if len(calls) != len(of.statuses) || calls[0] != "POST /connectors/hook/con/token/" {
			t.Errorf("%s: calls %v", name, calls)
		}
		if took < of.atLeast {
			t.Errorf("%s: took %s, so Retry-After was not respected", name, took)
		}
	}
}

func TestCallTriggerWithoutAResponse(t *testing.T) {
	calls := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if calls++; calls < 3 {
			panic(http.ErrAbortHandler)
		}
		w.WriteHeader(202)
	}))
	if err := callTrigger(server.Client(), server.URL+"/token/", time.Millisecond); err != nil || calls != 3 {
		t.Errorf("got %v after %d calls", err, calls)
	}
	server.Close() // Nothing listens there.
	err := callTrigger(server.Client(), server.URL+"/token/", time.Millisecond)
	if err == nil || strings.Contains(err.Error(), "token") {
		t.Errorf("got %v", err)
	}
}

func TestTheReadmeHasCallTrigger(t *testing.T) {
	source, err := os.ReadFile("trigger_test.go")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(source), "// callTrigger repeats")
	function, _, _ := strings.Cut(after, "\n}\n")
	if !strings.Contains(string(readme), function) {
		t.Error("the function callTrigger in README.md is not the one that this file tests")
	}
}
