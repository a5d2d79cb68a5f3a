import type { Notification, NotificationStatus } from "@sitewire/contracts"
import type { NotificationRow } from "./notificationRow.ts"
import { problems } from "./problems.ts"

type Described = Pick<
  Notification,
  "event" | "status" | "subject" | "summary" | "next_step" | "details" | "since"
>

/** What the webhook and the management API have in common, in the order in which a reader wants it. */
export function describeNotification(row: NotificationRow): Described {
  const { event, subject_id: id, details, since, resolved_at } = row
  const { subject, summary, resolved, nextStep } = problems[event]
  const status: NotificationStatus = resolved_at === null ? "firing" : "resolved"
  return {
    event,
    status,
    subject: { kind: subject, id },
    summary: status === "firing" ? summary(id) : resolved(id),
    next_step: nextStep(id),
    details,
    since: since.toISOString(),
  }
}
