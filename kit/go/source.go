package sitewire

import "net/http"

// VerifySourceRequest checks that Sitewire sent a request to your API.
//
// method is that of the request, such as GET. url is the connection's source exactly as the service shows it: take it
// from your configuration, because behind a proxy your server may see another scheme or host. secrets are the
// connection's signing secret, or the old and the new one during a replacement. Of options, only Tolerance and Now
// have a meaning here.
//
// The error is a [*WebhookError] if the request must be rejected, and otherwise a fault of the receiver, as for
// [ConstructEvent].
func VerifySourceRequest(method, url string, headers http.Header, secrets []string, options Options) error {
	keys, err := secretKeys(secrets)
	if err != nil {
		return err
	}
	if options, err = options.complete(); err != nil {
		return err
	}
	return verifyStandardWebhooks([]byte(`"`+method+" "+url+`"`), headers, keys, options)
}
