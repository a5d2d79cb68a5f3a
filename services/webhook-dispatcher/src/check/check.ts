import type { Channel } from "@sitewire/deliveries"

/** A test delivery, a certification or a challenge to a new address that this process has claimed. */
export type Check = {
  id: string
  kind: "test" | "certification" | "address_change"
  /** How often the check was claimed. A process with an earlier claim must not write any more. */
  claim: number
  /** With the address of the check instead of its own, and with request headers only if they were given for its origin. */
  channel: Channel
  otherSecretState: "staged" | "retiring" | null
  /** A body and its signature by the secret that was retired last. */
  retired: { body: Buffer; signature: string } | null
}
