import type { Incident, IncidentKind } from "@sitewire/contracts"
import {
  countText,
  deliveriesOf,
  mostDeadCounted,
  mostWaitingCounted,
} from "@sitewire/contracts/partnerMessage"
import { deadCountedAfter } from "../channels/deadDeliveries.ts"

type Details = Incident["details"]

/** What to do: a sentence, the command of the CLI, and the path in the web console. */
export type Texts = { summary: string; detail?: string; next: string; command: string; page?: string }

type Description = {
  /** 1: our own fault. 2: something of a partner or a publisher fails, waits or is lost. 3: nothing fails yet. */
  urgency: 1 | 2 | 3
  subject: Incident["subject"]["kind"]
  /** Which of the details is the number whose maximum is stored. */
  counted?: string
  texts: (subject: string, details: Details) => Texts
  resolved: (subject: string) => string
}

const channelPage = (channel: string) => `/channels/${channel}`
const deadPage = (channel: string) =>
  `/deliveries?${new URLSearchParams({ channel, state: "dead", created_after: deadCountedAfter() })}`
const listTopics = "sitewire topic list"

/**
 * The words of every incident, for the web console, the CLI, e-mails and notifications. No text contains a path of an address, or
 * personal data.
 */
export const incidentKinds: Record<IncidentKind, Description> = {
  "postgres.unavailable": {
    urgency: 1,
    subject: "installation",
    texts: () => ({
      summary: "Postgres did not respond.",
      detail: "No delivery was attempted, and partners' triggers got 503.",
      next: "Look for the cause in the log of Postgres.",
      command: "sitewire doctor",
    }),
    resolved: () => "Postgres did not respond. It responds again.",
  },
  "kafka.unavailable": {
    urgency: 1,
    subject: "installation",
    texts: () => ({
      summary: "Kafka does not respond.",
      detail: "No new event is delivered, and partners' triggers get 503. What is stored is still attempted.",
      next: "Start Kafka's brokers, or correct KAFKA_BROKERS.",
      command: listTopics,
    }),
    resolved: () => "Kafka responds again.",
  },
  "dispatcher.missing": {
    urgency: 1,
    subject: "installation",
    texts: () => ({
      summary: "No dispatcher is running.",
      detail: "Nothing is sent to any channel. Events and deliveries are stored and wait.",
      next: "Start the webhook-dispatcher.",
      command: listTopics,
    }),
    resolved: () => "A dispatcher is running.",
  },
  "scheduler.missing": {
    urgency: 1,
    subject: "installation",
    texts: () => ({
      summary: "No scheduler is running.",
      detail: "No source is fetched. Triggers are stored and wait.",
      next: "Start the sync-scheduler.",
      command: listTopics,
    }),
    resolved: () => "A scheduler is running.",
  },
  "delivery.overdue": {
    urgency: 1,
    subject: "installation",
    counted: "waiting",
    texts: (_, { waiting, channel }) => ({
      summary: "Attempts are overdue: no dispatcher makes them.",
      detail: `${deliveriesText(waiting)} ${waiting === 1 ? "is" : "are"} due for more than a minute, first to ${channel}.`,
      next: "Check the dispatchers.",
      command: listTopics,
    }),
    resolved: () => "No attempt is overdue.",
  },
  "sync.overdue": {
    urgency: 1,
    subject: "installation",
    counted: "syncs",
    texts: (_, { syncs }) => ({
      summary: "Syncs are overdue: no scheduler starts them.",
      detail: `${syncs === 1 ? "1 sync is" : `${countText(Number(syncs))} syncs are`} due for more than a minute. Triggers are stored and wait.`,
      next: "Check the schedulers.",
      command: listTopics,
    }),
    resolved: () => "No sync is overdue.",
  },
  "topic.missing": {
    urgency: 1,
    subject: "topic",
    texts: (topic) => ({
      summary: `The topic ${topic} does not exist.`,
      next: "Run the setup job, which creates it.",
      command: listTopics,
    }),
    resolved: (topic) => `The topic ${topic} exists.`,
  },
  "topic.behind": {
    urgency: 1,
    subject: "topic",
    counted: "records",
    texts: (topic, { group, records, partition, first_offset: offset }) => ({
      summary: `The consumers of ${topic} are behind by more than a minute.`,
      detail: `${records === 1 ? "1 record is" : `${countText(Number(records))} records are`} unread.`,
      next: offset
        ? `End the publisher's transaction that is open in partition ${partition} from offset ${offset} on.`
        : `Check the processes of the group ${group}.`,
      command: listTopics,
    }),
    resolved: (topic) => `The consumers of ${topic} are no longer behind.`,
  },
  "channel.failing": {
    urgency: 2,
    subject: "channel",
    counted: "waiting",
    texts: (channel, { reason, waiting, dead }) => ({
      summary: `Deliveries to the channel ${channel} fail.`,
      detail: [
        `${reason}${String(reason).endsWith(".") ? "" : "."}`,
        waiting === 0
          ? ""
          : `${deliveriesText(waiting, mostWaitingCounted)} ${waiting === 1 ? "waits" : "wait"}.`,
        dead === 0 ? "" : `${deliveriesText(dead, mostDeadCounted)} ${dead === 1 ? "is" : "are"} dead.`,
      ]
        .filter((sentence) => sentence !== "")
        .join(" "),
      next: "See why, and tell the partner.",
      command: `sitewire channel health ${channel}`,
      page: channelPage(channel),
    }),
    resolved: (channel) => `Deliveries to the channel ${channel} no longer fail.`,
  },
  "delivery.dead": {
    urgency: 2,
    subject: "channel",
    counted: "dead",
    texts: (channel, { dead }) => ({
      summary: `${deliveriesText(dead, mostDeadCounted)} to the channel ${channel} ${dead === 1 ? "is" : "are"} dead.`,
      detail: "Their last attempt failed, and nothing more is sent by itself.",
      next: "Resend them when the receiver works.",
      command: `sitewire delivery list --channel ${channel} --state dead`,
      page: deadPage(channel),
    }),
    resolved: (channel) => `No delivery of the last 7 days to the channel ${channel} is dead any more.`,
  },
  // By host, because the outage of a host can affect thousands of connections.
  "connection.failing": {
    urgency: 2,
    subject: "source",
    counted: "connections",
    texts: (host, { connections, connection, reason }) => ({
      summary:
        connections === 1
          ? `The source of the connection ${connection} on ${host} fails.`
          : `The sources of ${countText(Number(connections))} connections on ${host} fail.`,
      detail: reason ? `The last sync of ${connection}: ${reason}.` : "",
      next: "See the syncs.",
      command: "sitewire connection list --state failing",
      page: connections === 1 ? `/connections/${connection}` : "/connections?state=failing",
    }),
    resolved: (host) => `No connection whose source is on ${host} fails any more.`,
  },
  "event.invalid": {
    urgency: 2,
    subject: "topic",
    counted: "events",
    texts: (topic, { events }) => ({
      summary: `Publishers sent ${events === 1 ? "1 invalid event" : `${countText(Number(events))} invalid events`} in the last 24 hours.`,
      detail: `They are in ${topic}.`,
      next: "See which to replay, and which their publishers must correct.",
      command: "sitewire event list",
      page: "/invalid-events",
    }),
    resolved: () => "No event of the last 24 hours was invalid.",
  },
  "certificate.expiring": {
    urgency: 3,
    subject: "channel",
    texts: (channel, { expires_at }) => ({
      summary: `The certificate of the server of the channel ${channel} expires within 14 days, or has expired.`,
      detail: `It is valid until ${String(expires_at).slice(0, 10)}. After that, no delivery succeeds.`,
      next: "Tell the partner.",
      command: `sitewire channel show ${channel}`,
      page: channelPage(channel),
    }),
    resolved: (channel) =>
      `The server of the channel ${channel} has a new certificate, or the channel has another address.`,
  },
  "rotation.unfinished": {
    urgency: 3,
    subject: "channel",
    texts: (channel) => ({
      summary: `The rotation of the signing secret of the channel ${channel} has not been finished for 7 days.`,
      detail: "Two secrets exist.",
      next: "Finish the rotation.",
      command: `sitewire channel show ${channel}`,
      page: channelPage(channel),
    }),
    resolved: (channel) =>
      `The rotation of the signing secret of the channel ${channel} has been continued or finished.`,
  },
  "channel.paused": {
    urgency: 3,
    subject: "channel",
    texts: (channel) => ({
      summary: `The channel ${channel} is paused.`,
      detail: "Its deliveries are stored and wait.",
      next: "Resume it when the partner is ready.",
      command: `sitewire channel resume ${channel}`,
      page: channelPage(channel),
    }),
    resolved: (channel) => `The channel ${channel} was resumed or deleted.`,
  },
}

function deliveriesText(count: Details[string] | undefined, most = Number.POSITIVE_INFINITY): string {
  const number = Number(count)
  return deliveriesOf(`${countText(number)}${number < most ? "" : "+"}`, number === 1)
}
