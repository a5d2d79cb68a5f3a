import type { CliCommand, CommandGroup } from "../command.ts"
import { audit } from "./audit.ts"
import { channel } from "./channel/channel.ts"
import { completionGroup } from "./completion/completion.ts"
import { connection } from "./connection.ts"
import { delivery } from "./delivery/delivery.ts"
import { doctor } from "./doctor/doctor.ts"
import { createErasure } from "./erasure/create.ts"
import { listEvents } from "./event/list.ts"
import { publishEvent } from "./event/publish.ts"
import { replayEvents } from "./event/replay.ts"
import { showEvent } from "./event/show.ts"
import { incident } from "./incident.ts"
import { job } from "./job/job.ts"
import { key } from "./key.ts"
import { listen } from "./listen/listen.ts"
import { addProfile } from "./profile/add.ts"
import { listProfiles } from "./profile/list.ts"
import { removeProfile } from "./profile/remove.ts"
import { useProfile } from "./profile/use.ts"
import { reconcile } from "./reconcile/reconcile.ts"
import { session } from "./session.ts"
import { signIn } from "./signIn.ts"
import { statistics } from "./statistics.ts"
import { listSyncs } from "./sync/list.ts"
import { tailSyncs } from "./sync/tail.ts"
import { topic } from "./topic.ts"
import { trigger } from "./trigger/trigger.ts"
import { verify } from "./verify/verify.ts"

export const commands: readonly (CliCommand | CommandGroup)[] = [
  channel,
  connection,
  { name: "sync", description: "the syncs of connections", commands: [listSyncs, tailSyncs] },
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
  {
    name: "profile",
    description: "installations that this machine knows, with their API keys",
    commands: [addProfile, listProfiles, useProfile, removeProfile],
  },
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
