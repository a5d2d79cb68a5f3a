import { readSecrets } from "./lib/secrets.js"

// Next calls this once when the server starts.
export function register() {
  if (!readSecrets().includes("")) return
  console.error(
    "SITEWIRE_SECRETS is not set or contains an empty secret, so anybody could sign. Set it to your channel's secret.",
  )
  process.exit(1)
}
