/**
 * The name of the signature header, `X-<Service>-Signature`. The service's name is one word of ASCII letters and
 * digits, so that the header is a valid one and is the same for every receiver; throws a TypeError otherwise.
 */
export function signatureHeader(serviceName = "Sitewire"): string {
  if (!/^[A-Za-z0-9]+$/.test(serviceName)) {
    throw new TypeError(
      `The service name ${JSON.stringify(serviceName)} cannot stand in a header name. ` +
        "Set SERVICE_NAME to one word of letters A-Z, a-z and digits.",
    )
  }
  return `X-${serviceName}-Signature`
}
