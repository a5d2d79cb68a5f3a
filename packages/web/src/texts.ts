import { auditTexts } from "./texts/audit.ts"
import { channelTexts } from "./texts/channel.ts"
import { channelsTexts } from "./texts/channels.ts"
import { commonTexts } from "./texts/common.ts"
import { connectionTexts } from "./texts/connection.ts"
import { connectionsTexts } from "./texts/connections.ts"
import { deliveriesTexts } from "./texts/deliveries.ts"
import { deliveryTexts } from "./texts/delivery.ts"
import { invalidEventsTexts } from "./texts/invalidEvents.ts"
import { jobTexts } from "./texts/job.ts"
import { jobsTexts } from "./texts/jobs.ts"
import { keysTexts } from "./texts/keys.ts"
import { overviewTexts } from "./texts/overview.ts"
import { resolvedIncidentsTexts } from "./texts/resolvedIncidents.ts"
import { secretsTexts } from "./texts/secrets.ts"
import { sessionsTexts } from "./texts/sessions.ts"
import { shellTexts } from "./texts/shell.ts"
import { signInTexts } from "./texts/signIn.ts"
import { statesTexts } from "./texts/states.ts"

/** All texts of the page, ready for translation. Messages to partners are in partnerMessage.ts, because e-mails have them too. */
export const texts = {
  ...commonTexts,
  ...shellTexts,
  ...signInTexts,
  ...statesTexts,
  ...overviewTexts,
  ...resolvedIncidentsTexts,
  ...deliveriesTexts,
  ...deliveryTexts,
  ...channelsTexts,
  ...channelTexts,
  ...secretsTexts,
  ...connectionsTexts,
  ...connectionTexts,
  ...invalidEventsTexts,
  ...jobsTexts,
  ...jobTexts,
  ...keysTexts,
  ...sessionsTexts,
  ...auditTexts,
} as const
