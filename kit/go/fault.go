package sitewire

import "fmt"

// Fault says why a delivery or request must be rejected. Faults are judged in the order of the constants.
type Fault string

const (
	// FaultMissing: a header is missing or empty.
	FaultMissing Fault = "missing"
	// FaultMalformed: a header does not have the form that the service sends.
	FaultMalformed Fault = "malformed"
	// FaultOutdated: the signed time is too far from this machine's clock.
	FaultOutdated Fault = "outdated"
	// FaultMismatch: no secret made this signature of these bytes.
	FaultMismatch Fault = "mismatch"
	// FaultInvalidBody: the signature is valid, but the body is not a site.ready event.
	FaultInvalidBody Fault = "invalid-body"
)

// WebhookError is a fault of what was received. Its message has no content of the request and no secret.
type WebhookError struct {
	Fault   Fault
	message string
}

// Error says what happened, why, and what to do.
func (e *WebhookError) Error() string {
	return "sitewire: " + e.message
}

func reject(fault Fault, format string, arguments ...any) error {
	return &WebhookError{fault, fmt.Sprintf(format, arguments...)}
}

func missing(header string) error {
	return reject(FaultMissing, "the header %s is missing or empty, so nothing proves who sent the request. "+
		"Respond 401. If genuine requests fail so, let the proxy in front pass this header", header)
}

func malformed(header, form string) error {
	return reject(FaultMalformed, "the header %s does not have the form that the service sends: it must be %s. "+
		"Respond 401. If genuine requests fail so, let the proxy in front pass this header unchanged", header, form)
}

func mismatch(signed string) error {
	return reject(FaultMismatch, "no secret made this signature: %s changed on the way, or another secret was used. "+
		"Respond 401. If genuine requests fail so, compare the secret, and verify exactly what was sent", signed)
}

func invalidBody(reason string) error {
	return reject(FaultInvalidBody, "the signature is valid, but the body is not a site.ready event: %s. "+
		"Respond 400, and tell the operator of the service", reason)
}
