import type { Channel } from "@sitewire/deliveries"

/** A test delivery or a challenge to a new address that this process has claimed. */
export type Check = {
  id: string
  kind: "test" | "secret_test" | "address_change"
  /** How often the check was claimed. A process with an earlier claim must not write any more. */
  claim: number
  /** With the address of the check instead of its own, and with request headers only if they were given for its origin. */
  channel: Channel
}
