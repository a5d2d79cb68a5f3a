import { Option } from "commander"
import { parseCount } from "../../options/parseCount.ts"
import {
  type RequestHeaderOptions,
  readRequestHeaders,
  requestHeaderOption,
} from "../../options/requestHeaderOptions.ts"
import type { Session } from "../../session/createSession.ts"

type Switch = "on" | "off"

export type ChannelOptions = RequestHeaderOptions & {
  standardWebhooks?: Switch
  maxPerSecond?: number | null
  operatorNotifications?: Switch
  partnerMayChangeAddress?: Switch
  contact?: string | null
}

/** The options that a new channel and a change have in common. */
export const channelOptions = [
  new Option(
    "--standard-webhooks <switch>",
    "whether to send the headers of Standard Webhooks too (default of a new channel: on)",
  ).choices(["on", "off"]),
  requestHeaderOption,
  new Option(
    "--max-per-second <n>",
    'the most attempts per second, of all dispatchers together; "none": no maximum',
  ).argParser((text: string) => (text === "none" ? null : parseCount(text))),
  new Option(
    "--operator-notifications <switch>",
    "whether operator notifications are sent to this channel",
  ).choices(["on", "off"]),
  new Option(
    "--partner-may-change-address <switch>",
    "whether the partner may change the address, after a challenge to the new one",
  ).choices(["on", "off"]),
  new Option(
    "--contact <email>",
    'who gets an e-mail when the channel fails, and when it has recovered; "none": nobody',
  ).argParser((text: string) => (text === "none" ? null : text)),
]

export function readChannelFields(session: Session, options: ChannelOptions) {
  const { standardWebhooks, maxPerSecond, operatorNotifications, partnerMayChangeAddress, contact } = options
  return {
    ...(standardWebhooks !== undefined && { standard_webhooks: standardWebhooks === "on" }),
    ...readRequestHeaders(session, options),
    ...(maxPerSecond !== undefined && { max_per_second: maxPerSecond }),
    ...(operatorNotifications !== undefined && { operator_notifications: operatorNotifications === "on" }),
    ...(partnerMayChangeAddress !== undefined && {
      partner_may_change_address: partnerMayChangeAddress === "on",
    }),
    ...(contact !== undefined && { contact }),
  }
}
