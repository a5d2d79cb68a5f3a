import type { Notification, NotificationEvent } from "@sitewire/contracts"

export const notificationColumns = "id, event, subject_id, details, since, created_at, resolved_at"

export type NotificationRow = {
  id: string
  event: NotificationEvent
  subject_id: string
  details: Notification["details"]
  since: Date
  created_at: Date
  resolved_at: Date | null
}
