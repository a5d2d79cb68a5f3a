import type { CliCommand, CommandGroup } from "../command.ts"
import { certify } from "./certify/certify.ts"
import { createChannel } from "./channel/create.ts"
import { deleteChannel } from "./channel/delete.ts"
import { showHealth } from "./channel/health.ts"
import { listChannels } from "./channel/list.ts"
import { pauseChannel } from "./channel/pause.ts"
import { resumeChannel } from "./channel/resume.ts"
import { activateSecret } from "./channel/secret/activate.ts"
import { retireSecret } from "./channel/secret/retire.ts"
import { stageSecret } from "./channel/secret/stage.ts"
import { showChannel } from "./channel/show.ts"
import { testChannel } from "./channel/test.ts"
import { updateChannel } from "./channel/update.ts"
import { createConnection } from "./connection/create.ts"
import { deleteConnection } from "./connection/delete.ts"
import { listConnections } from "./connection/list.ts"
import { replaceToken } from "./connection/replaceToken.ts"
import { showConnection } from "./connection/show.ts"
import { showSnapshot } from "./connection/showSnapshot.ts"
import { syncConnection } from "./connection/sync.ts"
import { updateConnection } from "./connection/update.ts"
import { listWindows } from "./connection/windows.ts"
import { cancelDelivery } from "./delivery/cancel.ts"
import { listDeliveries } from "./delivery/list.ts"
import { resendDelivery } from "./delivery/resend.ts"
import { resendAllDeliveries } from "./delivery/resendAll.ts"
import { revealDelivery } from "./delivery/reveal.ts"
import { showDelivery } from "./delivery/show.ts"
import { createErasure } from "./erasure/create.ts"
import { listInvalidEvents } from "./event/listInvalid.ts"
import { replayEvents } from "./event/replay.ts"
import { cancelJob } from "./job/cancel.ts"
import { listJobs } from "./job/list.ts"
import { showJob } from "./job/show.ts"
import { listen } from "./listen/listen.ts"
import { publishSitePaid } from "./publish/sitePaid.ts"
import { reconcile } from "./reconcile/reconcile.ts"
import { listSyncs } from "./sync/list.ts"
import { trigger } from "./trigger/trigger.ts"
import { verify } from "./verify/verify.ts"

export const commands: readonly (CliCommand | CommandGroup)[] = [
  {
    name: "channel",
    description: "sales channels: where site.ready is delivered",
    commands: [
      createChannel,
      listChannels,
      showChannel,
      showHealth,
      updateChannel,
      deleteChannel,
      pauseChannel,
      resumeChannel,
      testChannel,
      {
        name: "secret",
        description: "rotate a channel's signing secret, in three steps",
        commands: [stageSecret, activateSecret, retireSecret],
      },
    ],
  },
  {
    name: "connection",
    description: "connections: a partner's data source for a site",
    commands: [
      createConnection,
      listConnections,
      showConnection,
      updateConnection,
      deleteConnection,
      replaceToken,
      syncConnection,
      listWindows,
      showSnapshot,
    ],
  },
  { name: "sync", description: "the syncs of a connection", commands: [listSyncs] },
  {
    name: "delivery",
    description: "deliveries of site.ready, and their attempts",
    commands: [
      listDeliveries,
      showDelivery,
      revealDelivery,
      resendDelivery,
      resendAllDeliveries,
      cancelDelivery,
    ],
  },
  {
    name: "event",
    description: "site.paid events that were rejected as invalid",
    commands: [listInvalidEvents, replayEvents],
  },
  { name: "erasure", description: "erasures of personal data", commands: [createErasure] },
  {
    name: "job",
    description: "jobs: resends, replays, erasures and reconciliations",
    commands: [listJobs, showJob, cancelJob],
  },
  reconcile,
  { name: "publish", description: "publish events to Kafka", commands: [publishSitePaid] },
  certify,
  trigger,
  verify,
  listen,
]
