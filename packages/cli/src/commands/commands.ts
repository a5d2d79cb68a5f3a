import type { CliCommand, CommandGroup } from "../command.ts"
import { listAudit } from "./audit/list.ts"
import { changeAddress } from "./channel/changeAddress.ts"
import { createChannel } from "./channel/create.ts"
import { deleteChannel } from "./channel/delete.ts"
import { showHealth } from "./channel/health.ts"
import { listChannels } from "./channel/list.ts"
import { pauseChannel } from "./channel/pause.ts"
import { resumeChannel } from "./channel/resume.ts"
import { activateSecret, revertSecret } from "./channel/secret/activate.ts"
import { retireSecret } from "./channel/secret/retire.ts"
import { showStagedSecret, stageSecret } from "./channel/secret/stage.ts"
import { showChannel } from "./channel/show.ts"
import { testChannel, testSecret } from "./channel/test.ts"
import { updateChannel } from "./channel/update.ts"
import { completionGroup } from "./completion/completion.ts"
import { createConnection } from "./connection/create.ts"
import { deleteConnection } from "./connection/delete.ts"
import { listConnections } from "./connection/list.ts"
import { replaceSecret } from "./connection/replaceSecret.ts"
import { replaceToken } from "./connection/replaceToken.ts"
import { showConnection } from "./connection/show.ts"
import { showSnapshot } from "./connection/showSnapshot.ts"
import { syncConnection } from "./connection/sync.ts"
import { updateConnection } from "./connection/update.ts"
import { listWindows } from "./connection/windows.ts"
import { listAttempts } from "./delivery/attempts.ts"
import { cancelDelivery } from "./delivery/cancel.ts"
import { listDeliveries } from "./delivery/list.ts"
import { resendDelivery } from "./delivery/resend.ts"
import { resendAllDeliveries } from "./delivery/resendAll.ts"
import { revealDelivery } from "./delivery/reveal.ts"
import { showDelivery } from "./delivery/show.ts"
import { tailDeliveries } from "./delivery/tail.ts"
import { doctor } from "./doctor/doctor.ts"
import { createErasure } from "./erasure/create.ts"
import { listEvents } from "./event/list.ts"
import { publishEvent } from "./event/publish.ts"
import { replayEvents } from "./event/replay.ts"
import { showEvent } from "./event/show.ts"
import { acknowledgeIncident, withdrawAcknowledgement } from "./incident/acknowledge.ts"
import { listIncidents } from "./incident/list.ts"
import { cancelJob } from "./job/cancel.ts"
import { listJobs } from "./job/list.ts"
import { showJob } from "./job/show.ts"
import { createKey } from "./key/create.ts"
import { listKeys } from "./key/list.ts"
import { revokeKey } from "./key/revoke.ts"
import { showKey } from "./key/show.ts"
import { listen } from "./listen/listen.ts"
import { addProfile } from "./profile/add.ts"
import { listProfiles } from "./profile/list.ts"
import { removeProfile } from "./profile/remove.ts"
import { useProfile } from "./profile/use.ts"
import { reconcile } from "./reconcile/reconcile.ts"
import { endSessions } from "./session/end.ts"
import { listSessions } from "./session/list.ts"
import { signIn } from "./signIn/signIn.ts"
import { showStatistics } from "./statistics/show.ts"
import { listSyncs } from "./sync/list.ts"
import { tailSyncs } from "./sync/tail.ts"
import { listTopics } from "./topic/list.ts"
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
      changeAddress,
      deleteChannel,
      pauseChannel,
      resumeChannel,
      testChannel,
      {
        name: "secret",
        description: "rotate a channel's signing secret",
        commands: [stageSecret, showStagedSecret, testSecret, activateSecret, revertSecret, retireSecret],
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
      replaceSecret,
      syncConnection,
      listWindows,
      showSnapshot,
    ],
  },
  { name: "sync", description: "the syncs of connections", commands: [listSyncs, tailSyncs] },
  {
    name: "delivery",
    description: "deliveries of site.ready, and their attempts",
    commands: [
      listDeliveries,
      showDelivery,
      listAttempts,
      revealDelivery,
      resendDelivery,
      resendAllDeliveries,
      cancelDelivery,
      tailDeliveries,
    ],
  },
  {
    name: "event",
    description: "site.paid: publish events, see what became of them, and replay those that were invalid",
    commands: [publishEvent, showEvent, listEvents, replayEvents],
  },
  { name: "erasure", description: "erasures of personal data", commands: [createErasure] },
  {
    name: "job",
    description: "jobs: resends, replays, erasures and reconciliations",
    commands: [listJobs, showJob, cancelJob],
  },
  {
    name: "statistics",
    description: "deliveries, attempts, triggers and syncs over time",
    commands: [showStatistics],
  },
  { name: "topic", description: "the Kafka topics", commands: [listTopics] },
  {
    name: "key",
    description: "API keys and their scopes",
    commands: [createKey, listKeys, showKey, revokeKey],
  },
  {
    name: "session",
    description: "sessions of the web console",
    commands: [listSessions, endSessions],
  },
  {
    name: "incident",
    description: "what is wrong, what was, and who cares for it",
    commands: [listIncidents, acknowledgeIncident, withdrawAcknowledgement],
  },
  { name: "audit", description: "the audit log: who changed or revealed what", commands: [listAudit] },
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
