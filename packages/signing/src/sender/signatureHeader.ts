/**
 * The name of the signature header, `X-<Service>-Signature`. Throws a TypeError if the service's name is not
 * one word of ASCII letters and digits, because the header might be invalid.
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
