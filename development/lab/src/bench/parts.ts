import { measureAccepting } from "./inbound/accepting.ts"
import { measureClaims } from "./inbound/claims.ts"
import { measureIngesting } from "./inbound/ingesting.ts"
import { measureManySyncs } from "./inbound/manySyncs.ts"
import { measureSlowSources } from "./inbound/slowSources.ts"
import { measureSynced } from "./inbound/synced.ts"
import type { Measure } from "./measure.ts"
import { measureAttacked } from "./outbound/attacked.ts"
import { isolation } from "./outbound/isolation.ts"
import { measureLatency } from "./outbound/latency.ts"
import { latenessRetryDelaysMs, measureLateness } from "./outbound/lateness.ts"
import { measurePaused } from "./outbound/paused.ts"
import { measureRetained } from "./outbound/retained.ts"
import { measureSteady } from "./outbound/steady.ts"
import { measureThroughput } from "./outbound/throughput.ts"
import { measureTls } from "./outbound/tls.ts"
import { sizeDeliveries, sizeSyncs } from "./sizing.ts"
import type { Bench } from "./startBench.ts"
import { measureFirstView } from "./web/firstView.ts"
import { measureSearches } from "./web/searches.ts"

export type Part = {
  about: string
  run: (it: Bench) => Promise<Measure[]>
  retryDelaysMs?: readonly number[]
}

/** The parts of each flow run in this order, each on a new Postgres and Kafka. */
export const flows: Record<string, Record<string, Part>> = {
  outbound: {
    throughput: { about: "deliveries/s and CPU from a backlog, beside a bare loop", run: measureThroughput },
    tls: {
      about: "the same to 3,000 partners over TLS, whose names a name server of the bench resolves",
      run: measureTls,
    },
    latency: { about: "publish to arrival at 200/s, beside a bare consumer", run: measureLatency },
    steady: { about: "CPU per event at 200/s, relative to a backlog", run: measureSteady },
    isolation: isolation({ healthy: 10, hanging: 1, bound: 1.2 }),
    "isolation-400": isolation({ healthy: 100, hanging: 400, bound: 1.5 }),
    "isolation-3000": isolation({ healthy: 100, hanging: 3_000, bound: 1.5 }),
    attacked: { about: "latency of partners beside one that attacks with its keys", run: measureAttacked },
    retained: { about: "CPU per event with many deliveries retained (--retained)", run: measureRetained },
    paused: { about: "100,000 deliveries of a paused channel (--paused)", run: measurePaused },
    lateness: {
      about: "how late retries are",
      run: measureLateness,
      retryDelaysMs: latenessRetryDelaysMs,
    },
  },
  inbound: {
    accepting: { about: "triggers/s that a gateway accepts, beside bare Express", run: measureAccepting },
    claims: { about: "due connections claimed and finished, beside pgbench", run: measureClaims },
    ingesting: {
      about: "triggers/s that a scheduler ingests, beside a bare consumer",
      run: measureIngesting,
    },
    "many-syncs": {
      about: "20,000 syncs of a second, and ten of 49 MiB, within a minute",
      run: measureManySyncs,
    },
    "slow-sources": {
      about: "wait of healthy connections beside 3,000 of a slow partner, and without",
      run: measureSlowSources,
    },
    synced: { about: "windows of a minute, without faults", run: measureSynced },
  },
  web: {
    "first-view": { about: "the overview with an empty cache", run: measureFirstView },
    searches: { about: "the API's searches among many deliveries (--retained)", run: measureSearches },
  },
  sizing: {
    deliveries: { about: "CPU, bytes and writes of a delivery", run: sizeDeliveries },
    syncs: { about: "bytes and writes of a trigger and its sync", run: sizeSyncs },
  },
}
