import type { Delivery } from "@sitewire/contracts"

/** The outcome of the last failed attempt, such as `timeout` or `503`. Empty: no attempt has failed. */
export function lastError({ last_error, last_status }: Pick<Delivery, "last_error" | "last_status">): string {
  if (last_error === "status" && last_status !== null) return String(last_status)
  return last_error ?? ""
}
