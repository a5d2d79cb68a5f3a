export const help = `Usage:
  sitewire-signing send <url> [options]      send a delivery with fictional data to a receiver
  sitewire-signing check <url> [options]     send about 30, and report what the receiver does wrong
  sitewire-signing check -- <program> [...]  give a verifier in any language the test vectors

Options of send and check <url>:
  --secret-env <name>          the environment variable that contains the signing secret
  --secret <secret>            the secret itself: only one made for tests, because other processes can read it
  --channel <id>               the channel in the body (default: sitewire-test)
  --service-name <name>        the word in the names of the headers (default: Sitewire)

Options of send, one at most:
  --repeated    twice: the same delivery and the same bytes
  --corrected   twice: a site, then the same site with another name
  --forged      signed by another secret
  --re-encoded  the same JSON in other bytes than those that were signed
  --late        with the headers of Standard Webhooks only, signed an hour ago

Options of check <url>:
  --retired-secret-env <name>  of a secret that the receiver must reject
  --staged-secret-env <name>   of a secret that the receiver must accept, too

The program of check -- gets one vector as JSON in each line of its standard input, with the fields name, scheme, now (Unix
seconds), secrets, headers and body (base64 of the raw bytes). For each it writes one line of JSON to its standard output:
{"event": …} with the event's eight fields, or {"fault": "…"}.

Exit codes: 0 all was as it must be, 1 something was not, 2 incorrect usage.
`
