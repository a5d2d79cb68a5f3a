import { secretPattern } from "./secretKinds.ts"

/** Removes secrets from an error message, because it can quote an argument or a response that contains one. */
export function redactSecrets(text: string): string {
  return text.replace(secretPattern, "$1_[secret]")
}
