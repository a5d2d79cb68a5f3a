package sitewire

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
)

// HandlerOptions are optional in every field: the zero value selects the default.
type HandlerOptions struct {
	Options
	// MaxBodyBytes is the largest body. Default: 65536.
	MaxBodyBytes int64
}

// NewHandler returns a handler that verifies site.ready deliveries and passes their content to store.
//
// secrets returns the channel's signing secret, or the old and the new one during a rotation. It is called now, so that
// an application without a secret stops at its start, and for each delivery, so that a rotation needs no restart.
//
// store must be idempotent, with SiteURL as its key, and must return within 10 seconds. The sender repeats the delivery
// later if store returns an error.
//
// The responses are 204 after store returned nil; 401 or 400 with {"fault": …} if the delivery must be rejected; 413 if
// its body is too large; and 500 if store or secrets failed, which is also written to the log of the http.Server.
func NewHandler(secrets func() []string, store func(context.Context, SiteReady) error, options HandlerOptions) (http.Handler, error) {
	if secrets == nil || store == nil {
		return nil, errors.New("sitewire: secrets and store are both needed, but one of these functions is nil")
	}
	if _, err := secretKeys(secrets()); err != nil {
		return nil, err
	}
	completed, err := options.complete()
	if err != nil {
		return nil, err
	}
	if options.MaxBodyBytes < 0 {
		return nil, errors.New("sitewire: MaxBodyBytes is negative, so no body would be read. Use a positive number")
	}
	if options.MaxBodyBytes == 0 {
		options.MaxBodyBytes = 64 << 10
	}
	return &handler{secrets, store, options, completed.Header}, nil
}

type handler struct {
	secrets func() []string
	store   func(context.Context, SiteReady) error
	options HandlerOptions
	// header is the name of the signature header.
	header string
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, h.options.MaxBodyBytes))
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		http.Error(w, "the body is too large", http.StatusRequestEntityTooLarge)
		return
	}
	if err != nil {
		http.Error(w, "the body did not arrive completely", http.StatusBadRequest)
		return
	}
	event, err := ConstructEvent(body, r.Header, h.secrets(), h.options.Options)
	if err == nil {
		err = h.store(r.Context(), event)
		if err == nil {
			// The service sends it to a new address: who returns it agrees to get deliveries there.
			if name, challenge := beside(r.Header, h.header, "challenge"); challengeForm.MatchString(challenge) {
				w.Header().Set(name, challenge)
			}
			w.WriteHeader(http.StatusNoContent)
			return
		}
	} else if rejected := (*WebhookError)(nil); errors.As(err, &rejected) {
		respondFault(w, rejected.Fault)
		return
	}
	logger(r).Printf("A site.ready delivery failed, and its sender will repeat it: %v", err)
	http.Error(w, "the receiver failed", http.StatusInternalServerError)
}

func respondFault(w http.ResponseWriter, fault Fault) {
	status := http.StatusUnauthorized
	if fault == FaultInvalidBody {
		status = http.StatusBadRequest
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]Fault{"fault": fault})
}

// logger returns the log of the server that serves r.
func logger(r *http.Request) *log.Logger {
	if server, ok := r.Context().Value(http.ServerContextKey).(*http.Server); ok && server.ErrorLog != nil {
		return server.ErrorLog
	}
	return log.Default()
}
