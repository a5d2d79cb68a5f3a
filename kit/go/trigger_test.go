package sitewire_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// callTrigger returns nil after the call was accepted. Give ctx a deadline: it repeats the call until then.
func callTrigger(ctx context.Context, client *http.Client, triggerURL string) error {
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, triggerURL, nil)
		if err != nil {
			return errors.New("the trigger URL is not a URL") // err would have the URL, which is a secret.
		}
		wait := time.Minute
		if response, err := client.Do(request); err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusAccepted {
				return nil
			}
			if response.StatusCode < 500 && response.StatusCode != http.StatusTooManyRequests {
				return fmt.Errorf("the trigger responded %d; 404: ask the owner for the current URL", response.StatusCode)
			}
			if seconds, err := strconv.ParseUint(response.Header.Get("Retry-After"), 10, 16); err == nil {
				wait = time.Duration(seconds) * time.Second
			}
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
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
		"address replaced": {[]int{404}, "responded 404", 0},
	} {
		var calls []string
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			calls = append(calls, r.Method+" "+r.URL.Path)
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(of.statuses[len(calls)-1])
		}))
		start := time.Now()
		err := callTrigger(context.Background(), server.Client(), server.URL+"/connectors/hook/con/token/")
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

func TestCallTriggerStopsAtTheDeadline(t *testing.T) {
	server := httptest.NewServer(nil)
	server.Close() // Nothing listens there.
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	if err := callTrigger(ctx, http.DefaultClient, server.URL+"/token/"); !errors.Is(err, context.DeadlineExceeded) {
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
	_, after, _ := strings.Cut(string(source), "// callTrigger returns")
	function, _, _ := strings.Cut(after, "\n}\n")
	if !strings.Contains(string(readme), function) {
		t.Error("the function callTrigger in README.md is not the one that this file tests")
	}
}
