const connections = {
  name: "Connections",
  description: "Partners' data sources that are connected to sites, with their trigger URLs and syncs.",
}

/** By the first part of a route's path, without /v1. */
const tags: Record<string, { name: string; description: string }> = {
  channels: {
    name: "Channels",
    description: "Partners' sales channels: where site.ready is sent, and the secrets that sign it.",
  },
  connections,
  syncs: connections,
  deliveries: {
    name: "Deliveries",
    description: "Each site.ready that was sent or will be, with its attempts.",
  },
  "invalid-events": { name: "Events", description: "Records that publishers sent and that are invalid." },
  jobs: {
    name: "Jobs",
    description:
      "Work in the background: resend, replay, erasure, and the proof that nothing of a period is lost (reconcile).",
  },
  keys: { name: "API keys", description: "Keys of this API, with their scopes." },
  sessions: { name: "Sessions", description: "Who is signed in to the web console." },
  "sign-in-links": { name: "Sign-in", description: "Links that sign in to the web console once." },
  audit: { name: "Audit", description: "Who changed or revealed what." },
  incidents: { name: "Incidents", description: "What is wrong, what was, and who cares for it." },
  statistics: { name: "Statistics", description: "Counts and latencies over time." },
  stream: { name: "Stream", description: "Changes as server-sent events." },
  topics: { name: "Topics", description: "Lag and age of the records on Kafka." },
}

const service = { name: "Service", description: "The console itself: its description and its problem codes." }

export function tagOf(path: string): { name: string; description: string } {
  const part = /^\/v1\/([^/]+)/.exec(path)?.[1]
  if (part === undefined) return service
  const tag = tags[part]
  if (!tag) throw new Error(`the path ${path} has no tag; add it to tags.ts`)
  return tag
}
