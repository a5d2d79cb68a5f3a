import type { CliCommand, CommandGroup } from "../command.ts"
import { channel } from "./channel/channel.ts"
import { completionGroup } from "./completion/completion.ts"
import { connection } from "./connection.ts"
import { delivery } from "./delivery/delivery.ts"
import { doctor } from "./doctor/doctor.ts"
import { createErasure } from "./erasure/create.ts"
import { publishEvent } from "./event/publish.ts"
import { listEvents, replayEvents } from "./event/replay.ts"
import { showEvent } from "./event/show.ts"
import { audit, incident, topic } from "./installation.ts"
import { job } from "./job/job.ts"
import { key } from "./key.ts"
import { listen } from "./listen/listen.ts"
import { profile } from "./profile.ts"
import { reconcile } from "./reconcile/reconcile.ts"
import { session, signIn } from "./session.ts"
import { statistics } from "./statistics.ts"
import { sync } from "./sync.ts"
import { trigger } from "./trigger.ts"
import { verify } from "./verify/verify.ts"

export const commands: readonly (CliCommand | CommandGroup)[] = [
  channel,
  connection,
  sync,
  delivery,
  {
    name: "event",
    description: "site.paid: publish events, see what became of them, and replay those that were invalid",
    commands: [publishEvent, showEvent, listEvents, replayEvents],
  },
  { name: "erasure", description: "erasures of personal data", commands: [createErasure] },
  job,
  statistics,
  topic,
  key,
  session,
  incident,
  audit,
  profile,
  signIn,
  reconcile,
  trigger,
  verify,
  listen,
  doctor,
  completionGroup(() => commands),
  {
    name: "publish",
    description: "the same as `sitewire event publish`",
    hidden: true,
    commands: [{ ...publishEvent, name: "site.paid" }],
  },
]
