import type { NotificationEvent } from "@sitewire/contracts"
import { dispatcherIsRunning, failingChannels } from "../api/channels/failingChannels.ts"

type Description = {
  subject: "channel" | "source"
  /** SQL that finds the problems of this kind: `subject_id`, `since` and `details` (JSON, numbers and texts only). */
  find: string
  summary: (subject: string) => string
  resolved: (subject: string) => string
  nextStep: (subject: string) => string
}

const deadWithin = "1 hour"
const connectionFailsFor = "15 minutes"
const certificateExpiresWithin = "14 days"
const rotationTakes = "7 days"

/** What operators are notified of. No text contains an address, a URL, or personal data. */
export const notificationKinds: Record<NotificationEvent, Description> = {
  "channel.failing": {
    subject: "channel",
    find: `
      select failing.channel_id as subject_id,
             coalesce(breaker.opened_at, deferred.since, now()) as since,
             jsonb_build_object('breakers_open', breaker.open, 'deferred', deferred.count) as details
        from (${failingChannels}) as failing
       cross join lateral (
         select count(*)::int as open, min(breaker_opened_at) as opened_at
           from channel_status join dispatcher on dispatcher.id = dispatcher_id
          where channel_id = failing.channel_id and breaker_opened_at is not null and ${dispatcherIsRunning}) as breaker
       cross join lateral (
         select count(*)::int as count, min(deferred_at) as since
           from waiting_delivery where channel_id = failing.channel_id and deferred_at is not null) as deferred`,
    summary: (channel) => `Deliveries to the channel ${channel} fail.`,
    resolved: (channel) => `Deliveries to the channel ${channel} have not failed for five minutes.`,
    nextStep: (channel) => `sitewire channel health ${channel}`,
  },
  "delivery.dead": {
    subject: "channel",
    find: `
      select channel_id as subject_id, min(ended_at) as since, jsonb_build_object('deliveries', count(*)) as details
        from ended_delivery where state = 'dead' and ended_at > now() - interval '${deadWithin}' group by channel_id`,
    summary: (channel) =>
      `Deliveries to the channel ${channel} are dead: their last attempt failed, or the channel was deleted.`,
    resolved: (channel) => `No delivery to the channel ${channel} has become dead for an hour.`,
    nextStep: (channel) => `sitewire delivery list --channel ${channel} --state dead`,
  },
  // By host, because the outage of a host can affect thousands of connections.
  "connection.failing": {
    subject: "source",
    find: `
      select source_host as subject_id, min(failing_since) as since,
             jsonb_build_object('connections', count(*), 'last_error', min(last_error), 'connection', min(id)) as details
        from sync_window join connection on connection.id = connection_id
       where failing_since is not null and failing_since < now() - interval '${connectionFailsFor}'
       group by source_host`,
    summary: (host) =>
      `Connections whose source is on ${host} have had no successful sync for 15 minutes or longer.`,
    resolved: (host) => `No connection whose source is on ${host} has failed for 15 minutes any more.`,
    nextStep: () => "sitewire connection list --state failing",
  },
  "certificate.expiring": {
    subject: "channel",
    find: `
      select channel.id as subject_id, expires_at - interval '${certificateExpiresWithin}' as since,
             jsonb_build_object('expires_at', to_char(expires_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')) as details
        from receiver_certificate
        join channel on substring(address from '^https://[^/?#]+') = origin
       where expires_at < now() + interval '${certificateExpiresWithin}'`,
    summary: (channel) =>
      `The certificate of the server of the channel ${channel} expires within 14 days, or has expired. After that, no delivery succeeds.`,
    resolved: (channel) =>
      `The server of the channel ${channel} has a new certificate, or the channel has another address.`,
    nextStep: (channel) => `sitewire channel show ${channel}`,
  },
  "rotation.unfinished": {
    subject: "channel",
    find: `
      select id as subject_id, other_secret_since as since, jsonb_build_object('state', other_secret_state::text) as details
        from channel
       where other_secret_id is not null and other_secret_since < now() - interval '${rotationTakes}'`,
    summary: (channel) =>
      `The rotation of the signing secret of the channel ${channel} has not been finished for 7 days: two secrets exist.`,
    resolved: (channel) =>
      `The rotation of the signing secret of the channel ${channel} has been continued or finished.`,
    nextStep: (channel) => `sitewire channel show ${channel}`,
  },
}
