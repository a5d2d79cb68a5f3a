// A receiver of site.ready deliveries. Run it with the environment variables PORT and SITEWIRE_SECRETS (one
// secret, or several separated by commas).
package main

import (
	"context"
	"encoding/json"
	"log"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/sitewire/sitewire-go"
)

func main() {
	secrets := strings.Split(os.Getenv("SITEWIRE_SECRETS"), ",")
	sites := &siteStore{sites: map[string]sitewire.SiteReady{}}
	webhook, err := sitewire.NewHandler(
		func() []string { return secrets },
		sites.store,
		sitewire.HandlerOptions{},
	)
	if err != nil {
		log.Fatalf("cannot start, check SITEWIRE_SECRETS: %v", err)
	}
	http.Handle("/webhook", webhook)
	http.HandleFunc("/sites", sites.list) // Only for the tests of this example: it is open to everybody.
	server := &http.Server{Addr: "127.0.0.1:" + os.Getenv("PORT"), ReadTimeout: 10 * time.Second}
	log.Fatal(server.ListenAndServe())
}

// siteStore stands for a table with the primary key site_url.
type siteStore struct {
	mutex sync.Mutex
	sites map[string]sitewire.SiteReady
}

// store is an upsert: a repetition changes nothing, and a correction replaces what is there. A late retry of what was
// corrected has a smaller delivery id, and is ignored.
func (s *siteStore) store(_ context.Context, event sitewire.SiteReady) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if event.Delivery >= s.sites[event.SiteURL].Delivery {
		s.sites[event.SiteURL] = event
	}
	return nil
}

func (s *siteStore) list(w http.ResponseWriter, _ *http.Request) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	list := []map[string]string{}
	for _, site := range s.sites {
		list = append(list, map[string]string{"site_url": site.SiteURL, "name": site.Name})
	}
	json.NewEncoder(w).Encode(list)
}
