/** The services' consumer groups: of new events, of due retries, and of triggers. */
export function groupNames(prefix: string) {
  return {
    paid: `${prefix}webhook-dispatcher.paid`,
    due: `${prefix}webhook-dispatcher.due`,
    triggers: `${prefix}sync-scheduler`,
  }
}
