import { type AddressPolicy, vetUrl } from "@sitewire/egress"
import { type Problem, problem } from "./response.ts"

/**
 * Vets an address that will be called later and returns it normalised: the form that was vetted is the form that is
 * kept. What a name resolves to can change, and is vetted at each call.
 */
export function vetField(
  field: string,
  text: string,
  policy: AddressPolicy,
): { kind: "vetted"; href: string } | Problem {
  const verdict = vetUrl(text, policy)
  if (verdict.kind === "ok") return { kind: "vetted", href: verdict.url.href }
  return problem(400, "The body cannot be used.", [{ field, message: verdict.message }])
}
