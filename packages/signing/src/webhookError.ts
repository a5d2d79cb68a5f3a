/**
 * Why a request is not accepted:
 *
 * - `missing`: a signature header is missing or empty;
 * - `malformed`: a signature header does not have the form of its scheme;
 * - `outdated`: the signed time is too far from this machine's clock;
 * - `mismatch`: no secret signed this content;
 * - `invalid-body`: the signature is right, but the body is no `site.ready`.
 */
export type Fault = "missing" | "malformed" | "outdated" | "mismatch" | "invalid-body"

/** A fault of the request. The message contains nothing of the request and no secret, so it may be logged. */
export class WebhookError extends Error {
  override readonly name = "WebhookError"
  readonly fault: Fault

  constructor(fault: Fault, message: string) {
    super(message)
    this.fault = fault
  }
}
